package io.millrace.manager.schedule;

import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueDecision.PassedSpan;
import io.millrace.manager.schedule.DueDecision.PassedTime;
import io.millrace.manager.schedule.DueDecision.PlannedLaunch;
import io.millrace.manager.schedule.DueRule.ScheduleSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A schedule's row and what was recorded for it, as a caller would keep them. */
final class Replay {
  private final DueRule rule;
  private final SchedulePlan plan;
  private final List<PlannedLaunch> launched = new ArrayList<>();
  private final List<PassedTime> passed = new ArrayList<>();
  private final List<PassedSpan> spans = new ArrayList<>();
  private NextStart next;

  Replay(DueRule rule, SchedulePlan plan, Instant planned) {
    this.rule = rule;
    this.plan = plan;
    this.next = plan.start(planned);
  }

  /** Decides until nothing more is due. */
  void decideUntilQuiet(Instant now, boolean running, int queued) {
    boolean busy = running;
    int waiting = queued;
    while (next.dueAt() != null && !next.dueAt().isAfter(now)) {
      DueDecision decision = decide(now, busy, waiting);
      busy |= !decision.launches().isEmpty();
      waiting += (int) decision.launches().stream().filter(PlannedLaunch::queued).count();
    }
  }

  DueDecision decide(Instant now, boolean running, int queued) {
    DueDecision decision =
        rule.decide(plan, new ScheduleSnapshot(next.plannedAt(), now, running, queued));
    launched.addAll(decision.launches());
    passed.addAll(decision.passed());
    if (decision.earlier() != null) {
      spans.add(decision.earlier());
    }
    next = decision.next();
    return decision;
  }

  NextStart next() {
    return next;
  }

  List<PlannedLaunch> launched() {
    return launched;
  }

  List<PassedTime> passed() {
    return passed;
  }

  List<PassedSpan> spans() {
    return spans;
  }

  /** Planned times without a run. */
  long missed() {
    return passed.size() + spans.stream().mapToLong(PassedSpan::count).sum();
  }

  int records() {
    return launched.size() + passed.size() + spans.size();
  }
}

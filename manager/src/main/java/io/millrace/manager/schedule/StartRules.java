package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueDecision.PassedSpan;
import io.millrace.manager.schedule.DueDecision.PassedTime;
import io.millrace.manager.schedule.DueDecision.PlannedLaunch;
import io.millrace.manager.schedule.DueRule.DueTimes;
import io.millrace.manager.schedule.DueRule.ScheduleSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Applies the window, the catch-up rule and the overlap rule to times that are due. Used once. */
@Pure
final class StartRules {
  /** Number of missed times that get a record each; older ones share one. */
  private static final int MAX_RECORDED = 100;

  private final SchedulePlan plan;
  private final ScheduleSnapshot snapshot;
  private final List<PlannedLaunch> launches = new ArrayList<>();
  private final List<PassedTime> skipped = new ArrayList<>();
  private final boolean waiting;
  private boolean busy;
  private int queued;
  private boolean stopRunning;

  StartRules(SchedulePlan plan, ScheduleSnapshot snapshot) {
    this.plan = plan;
    this.snapshot = snapshot;
    this.waiting = snapshot.queued() > 0;
    this.busy = snapshot.running() || waiting;
    this.queued = snapshot.queued();
  }

  DueDecision decide(DueTimes due) {
    if (!plan.openings().isOpen(snapshot.now())) {
      return afterWindow(due);
    }
    int caughtUp = caughtUp(due);
    int missed = due.late().size() - caughtUp;
    boolean inLine =
        plan.catchUp() == CatchUpRule.ALL && (caughtUp > 0 || (waiting && !snapshot.running()));
    due.late()
        .subList(missed, due.late().size())
        .forEach(
            planned -> {
              if (inLine) {
                enqueue(planned, RunCause.CATCH_UP);
              } else {
                start(planned, RunCause.CATCH_UP, true);
              }
            });
    for (int at = 0; at < due.punctual().size(); at++) {
      Instant planned = due.punctual().get(at);
      if (inLine) {
        enqueue(planned, RunCause.SCHEDULE);
      } else {
        start(planned, RunCause.SCHEDULE, at == due.punctual().size() - 1);
      }
    }
    return decision(due.late().subList(0, missed), snapshot.obstacle(), due.next());
  }

  /** Times that are caught up wait for the window to open again. */
  private DueDecision afterWindow(DueTimes due) {
    List<Instant> all = new ArrayList<>(due.late());
    all.addAll(due.punctual());
    int missed = all.size() - keptForWindow(all.size(), due.next().plannedAt());
    all.subList(missed, all.size())
        .forEach(planned -> launches.add(new PlannedLaunch(planned, RunCause.CATCH_UP, true)));
    return decision(
        all.subList(0, missed), "its window had ended before it could be started", due.next());
  }

  private int keptForWindow(int late, Instant next) {
    return switch (plan.catchUp()) {
      case NONE -> 0;
      // Unless the next planned time comes first, or another run is waiting already.
      case LAST -> {
        Instant opens = plan.openings().openFrom(snapshot.now());
        yield waiting || (next != null && !next.isAfter(opens)) ? 0 : 1;
      }
      case ALL -> Math.min(late, Math.max(0, plan.catchUpLimit() - snapshot.queued()));
    };
  }

  /** How many of the late times run, the newest ones. */
  private int caughtUp(DueTimes due) {
    int late = due.late().size();
    return switch (plan.catchUp()) {
      case NONE -> 0;
      // A punctual time is the last of all.
      case LAST -> due.punctual().isEmpty() ? Math.min(1, late) : 0;
      case ALL -> Math.min(plan.catchUpLimit(), late);
    };
  }

  private void enqueue(Instant planned, RunCause cause) {
    launches.add(new PlannedLaunch(planned, cause, busy));
    queued += busy ? 1 : 0;
    busy = true;
  }

  private void start(Instant planned, RunCause cause, boolean newest) {
    if (plan.overlap() == OverlapRule.REPLACE && !newest) {
      skip(planned, "a newer planned time was due as well");
    } else if (!busy) {
      enqueue(planned, cause);
    } else if (plan.overlap() == OverlapRule.SKIP) {
      skip(planned, "the previous run had not ended");
    } else if (queued > 0) {
      skip(planned, "another run was already waiting for the previous run to end");
    } else {
      stopRunning = plan.overlap() == OverlapRule.REPLACE;
      enqueue(planned, cause);
    }
  }

  private void skip(Instant planned, String reason) {
    skipped.add(new PassedTime(planned, RunState.SKIPPED, reason));
  }

  private DueDecision decision(List<Instant> missed, String reason, NextStart next) {
    int shared = Math.max(0, missed.size() - MAX_RECORDED);
    List<PassedTime> passed = new ArrayList<>();
    missed
        .subList(shared, missed.size())
        .forEach(planned -> passed.add(new PassedTime(planned, RunState.MISSED, reason)));
    passed.addAll(skipped);
    PassedSpan earlier = shared == 0 ? null : PassedSpan.of(missed.subList(0, shared), reason);
    return new DueDecision(launches, passed, earlier, stopRunning, next);
  }
}

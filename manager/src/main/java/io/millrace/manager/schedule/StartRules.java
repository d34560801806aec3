package io.millrace.manager.schedule;

import io.millrace.api.schedule.CatchUpRule;
import io.millrace.api.schedule.OverlapRule;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Applies window, catch-up rule and overlap rule to times that are due. Used once. */
final class StartRules {
  /** Missed times that get a record each; older ones share one. */
  private static final int MOST_RECORDED = 100;

  private final SchedulePlan plan;
  private final ScheduleSnapshot snapshot;
  private final List<PlannedLaunch> launches = new ArrayList<>();
  private final List<PassedTime> skipped = new ArrayList<>();
  private boolean busy;
  private int queued;
  private boolean stopRunning;

  StartRules(SchedulePlan plan, ScheduleSnapshot snapshot) {
    this.plan = plan;
    this.snapshot = snapshot;
    this.busy = snapshot.running() || snapshot.queued() > 0;
    this.queued = snapshot.queued();
  }

  static String missedReason(Instant now) {
    return "nothing could be started until " + now;
  }

  DueDecision decide(DueTimes due) {
    if (!plan.openings().isOpen(snapshot.now())) {
      List<Instant> all = new ArrayList<>(due.late());
      all.addAll(due.punctual());
      return decision(all, "the window had ended before it could be started", due.next());
    }
    int caughtUp = caughtUp(due);
    int missed = due.late().size() - caughtUp;
    boolean inLine = plan.catchUp() == CatchUpRule.ALL;
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
      if (inLine && caughtUp > 0) {
        enqueue(planned, RunCause.SCHEDULE);
      } else {
        start(planned, RunCause.SCHEDULE, at == due.punctual().size() - 1);
      }
    }
    return decision(due.late().subList(0, missed), missedReason(snapshot.now()), due.next());
  }

  /** How many of the late ones run, the newest. */
  private int caughtUp(DueTimes due) {
    int late = due.late().size();
    return switch (plan.catchUp()) {
      case NONE -> 0;
      // A punctual one is the last of them all.
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
      skip(planned, "the run before had not ended");
    } else if (queued > 0) {
      skip(planned, "another run waited already for the end of the run before");
    } else {
      stopRunning = plan.overlap() == OverlapRule.REPLACE;
      enqueue(planned, cause);
    }
  }

  private void skip(Instant planned, String reason) {
    skipped.add(new PassedTime(planned, RunState.SKIPPED, reason));
  }

  private DueDecision decision(List<Instant> missed, String reason, NextStart next) {
    int shared = Math.max(0, missed.size() - MOST_RECORDED);
    List<PassedTime> passed = new ArrayList<>();
    missed
        .subList(shared, missed.size())
        .forEach(planned -> passed.add(new PassedTime(planned, RunState.MISSED, reason)));
    passed.addAll(skipped);
    PassedSpan earlier = shared == 0 ? null : PassedSpan.of(missed.subList(0, shared), reason);
    return new DueDecision(launches, passed, earlier, stopRunning, next);
  }
}

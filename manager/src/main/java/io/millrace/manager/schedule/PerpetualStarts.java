package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.ScheduleDefinition.PerpetualDefinition;
import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueDecision.PlannedLaunch;
import io.millrace.manager.schedule.DueRule.ScheduleSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Starts of perpetual schedules. The planned time of such a run is only its identifier, so it is
 * advanced by a millisecond when a clock was set back; what counts is when it is due. Stateless.
 */
@Pure
final class PerpetualStarts {
  /** The end of a run sets when the next is due; this interval is a fallback. */
  private static final Duration CHECK_AGAIN = Duration.ofSeconds(10);

  private static final Duration HAIR = Duration.ofMillis(1);

  private PerpetualStarts() {}

  static NextStart begin(SchedulePlan plan, Instant now, Instant lastPlanned) {
    Instant due = plan.openings().openFrom(now);
    return new NextStart(lastPlanned == null ? due : later(due, lastPlanned.plus(HAIR)), due);
  }

  static DueDecision decide(SchedulePlan plan, ScheduleSnapshot snapshot) {
    Instant planned = snapshot.plannedAt();
    Instant open = plan.openings().openFrom(snapshot.now());
    if (open.isAfter(snapshot.now())) {
      return nothing(new NextStart(planned, open));
    }
    Instant again = snapshot.now().plus(CHECK_AGAIN);
    if (snapshot.running() || snapshot.queued() > 0) {
      return nothing(new NextStart(planned, again));
    }
    return new DueDecision(
        List.of(new PlannedLaunch(planned, RunCause.SCHEDULE, false)),
        List.of(),
        null,
        false,
        new NextStart(planned.plus(HAIR), again));
  }

  static NextStart afterRun(
      SchedulePlan plan, NextStart current, Instant endedAt, boolean foundWork) {
    PerpetualDefinition pauses = plan.perpetual().orElseThrow();
    Duration pause = foundWork ? pauses.afterWork() : pauses.afterNothing();
    Instant due = plan.openings().openFrom(endedAt.plus(pause));
    return new NextStart(current.plannedAt() == null ? due : later(due, current.plannedAt()), due);
  }

  private static DueDecision nothing(NextStart next) {
    return new DueDecision(List.of(), List.of(), null, false, next);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}

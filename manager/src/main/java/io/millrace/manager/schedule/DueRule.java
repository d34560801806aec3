package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueDecision.PassedSpan;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides which planned times of a schedule are due. Planned times never decrease, so none is
 * decided on twice, whatever the clock does. Immutable, thread-safe.
 */
@Pure
public final class DueRule {
  /** Maximum number of planned times per decision, which is written in one transaction. */
  private static final int MAX_AT_ONCE = 20_000;

  private final Duration tolerance;
  private final int mostAtOnce;

  /**
   * A rule.
   *
   * @param tolerance a planned time decided on later than this counts as missed
   */
  public DueRule(Duration tolerance) {
    this(tolerance, MAX_AT_ONCE);
  }

  DueRule(Duration tolerance, int mostAtOnce) {
    this.tolerance = tolerance;
    this.mostAtOnce = mostAtOnce;
  }

  /**
   * The initial state of a schedule's row: when it is first applied, and when its schedule or
   * window has changed. Nothing planned before now is caught up.
   *
   * @param lastPlanned newest planned time that was decided on; null for none. Only later times are
   *     planned, whatever the clock shows
   */
  public NextStart begin(SchedulePlan plan, Instant now, Instant lastPlanned) {
    if (plan.perpetual().isPresent()) {
      return PerpetualStarts.begin(plan, now, lastPlanned);
    }
    Instant after = lastPlanned != null && lastPlanned.isAfter(now) ? lastPlanned : now;
    return plan.next(after).map(plan::start).orElse(NextStart.NEVER);
  }

  /**
   * Decides what is due. To be called when the row's dueAt has passed; for schedules with planned
   * times, early calls change nothing.
   */
  public DueDecision decide(SchedulePlan plan, ScheduleSnapshot snapshot) {
    if (snapshot.plannedAt() == null) {
      return new DueDecision(List.of(), List.of(), null, false, NextStart.NEVER);
    }
    if (plan.perpetual().isPresent()) {
      return PerpetualStarts.decide(plan, snapshot);
    }
    List<Instant> late = new ArrayList<>();
    List<Instant> punctual = new ArrayList<>();
    Optional<NextStart> next = Optional.of(plan.start(snapshot.plannedAt()));
    while (next.isPresent() && !next.get().dueAt().isAfter(snapshot.now())) {
      NextStart start = next.get();
      boolean missed = start.dueAt().plus(tolerance).isBefore(snapshot.now());
      (missed ? late : punctual).add(start.plannedAt());
      if (late.size() + punctual.size() >= mostAtOnce && late.size() > plan.catchUpLimit()) {
        return firstOfMany(plan, snapshot, late);
      }
      next = plan.next(start.plannedAt()).map(plan::start);
    }
    DueTimes due = new DueTimes(late, punctual, next.orElse(NextStart.NEVER));
    return new StartRules(plan, snapshot).decide(due);
  }

  /** Of very many times the oldest are missed whatever the rule; the newest are decided on next. */
  private static DueDecision firstOfMany(
      SchedulePlan plan, ScheduleSnapshot snapshot, List<Instant> late) {
    int missed = late.size() - plan.catchUpLimit();
    return new DueDecision(
        List.of(),
        List.of(),
        PassedSpan.of(late.subList(0, missed), snapshot.obstacle()),
        false,
        plan.start(late.get(missed)));
  }

  /**
   * The times that passed in a pause and are not caught up: all that are due by now, as one span.
   *
   * @param current the row's state
   * @param reason describes the pause, human-readable
   */
  public DueDecision pass(SchedulePlan plan, NextStart current, Instant now, String reason) {
    if (plan.perpetual().isPresent()) {
      return new DueDecision(List.of(), List.of(), null, false, current);
    }
    NextStart next = current;
    Instant last = null;
    long count = 0;
    while (next.dueAt() != null && !next.dueAt().isAfter(now)) {
      last = next.plannedAt();
      count++;
      next = plan.next(last).map(plan::start).orElse(NextStart.NEVER);
    }
    PassedSpan span = count == 0 ? null : PassedSpan.of(current.plannedAt(), last, count, reason);
    return new DueDecision(List.of(), List.of(), span, false, next);
  }

  /**
   * The row's state after a run ended: perpetual schedules begin their pause, others do not change.
   *
   * @param current the row's state now
   * @param foundWork whether the run found work; also false for a failed run, so that a broken
   *     program does not spin
   */
  public NextStart afterRun(
      SchedulePlan plan, NextStart current, Instant endedAt, boolean foundWork) {
    return plan.perpetual().isPresent()
        ? PerpetualStarts.afterRun(plan, current, endedAt, foundWork)
        : current;
  }

  /**
   * The planned times that are due.
   *
   * @param late later than tolerated, oldest first
   * @param punctual the others, all after them
   * @param next the first that is not due
   */
  @Pure
  record DueTimes(List<Instant> late, List<Instant> punctual, NextStart next) {}

  /**
   * The state of a task when its schedule is decided on.
   *
   * @param plannedAt the planned time in its row; null for none
   * @param now by the database's clock
   * @param running whether a run of it is in progress
   * @param queued runs of it that wait for the previous run or for the window
   * @param obstacle why nothing could be started until now, human-readable
   */
  @Pure
  public record ScheduleSnapshot(
      Instant plannedAt, Instant now, boolean running, int queued, String obstacle) {
    /** With a general reason. */
    public ScheduleSnapshot(Instant plannedAt, Instant now, boolean running, int queued) {
      this(plannedAt, now, running, queued, "nothing could be started until " + now);
    }
  }
}

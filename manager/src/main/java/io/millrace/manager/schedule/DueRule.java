package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.ScheduleDefinition.PerpetualDefinition;
import io.millrace.manager.schedule.DueDecision.NextStart;
import io.millrace.manager.schedule.DueDecision.PassedSpan;
import io.millrace.manager.schedule.DueDecision.PlannedLaunch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides what of a schedule is due. Planned times only rise, so whatever the clock does none is
 * decided upon twice. Immutable, thread-safe.
 */
@Pure
public final class DueRule {
  /** Planned times that one decision looks at; it is written in one transaction. */
  private static final int MOST_AT_ONCE = 20_000;

  private final Duration tolerance;
  private final int mostAtOnce;

  /**
   * A rule.
   *
   * @param tolerance a planned time decided upon later than this counts as missed
   */
  public DueRule(Duration tolerance) {
    this(tolerance, MOST_AT_ONCE);
  }

  DueRule(Duration tolerance, int mostAtOnce) {
    this.tolerance = tolerance;
    this.mostAtOnce = mostAtOnce;
  }

  /**
   * The first state of a schedule's row: at the first apply, and when schedule or window changed.
   * Nothing planned before now is caught up.
   *
   * @param lastPlanned newest planned time that was ever decided upon; null for none. Nothing is
   *     planned up to it again, wherever the clock stands
   */
  public NextStart begin(SchedulePlan plan, Instant now, Instant lastPlanned) {
    if (plan.perpetual().isPresent()) {
      return PerpetualStarts.begin(plan, now, lastPlanned);
    }
    Instant after = lastPlanned != null && lastPlanned.isAfter(now) ? lastPlanned : now;
    return plan.next(after).map(plan::start).orElse(NextStart.NEVER);
  }

  /**
   * What is due. Call it when the row's dueAt has come; of a schedule with planned times, early
   * calls change nothing.
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

  /** The oldest of very many are missed whatever the rule; the newest are decided upon next. */
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
   * What passes in a pause and is not caught up: all that is due by now, as one span.
   *
   * @param current the row's state
   * @param reason that it is paused, for people
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
   * The row's state after a run ended: for perpetual schedules the pause begins, for others nothing
   * changes.
   *
   * @param current the row's state now
   * @param foundWork whether the run did something; false also for one that failed, so that a
   *     broken program does not spin
   */
  public NextStart afterRun(
      SchedulePlan plan, NextStart current, Instant endedAt, boolean foundWork) {
    return plan.perpetual().isPresent()
        ? PerpetualStarts.afterRun(plan, current, endedAt, foundWork)
        : current;
  }

  /**
   * Planned times whose moment has come.
   *
   * @param late later than is tolerated, oldest first
   * @param punctual the others, all after them
   * @param next the first that is not due
   */
  @Pure
  record DueTimes(List<Instant> late, List<Instant> punctual, NextStart next) {}

  /**
   * What is known of a task when its schedule is decided upon.
   *
   * @param plannedAt the planned time in its row; null for never again
   * @param now by the database's clock
   * @param running whether a run of it lasts, whoever started it
   * @param queued runs of it that wait for the end of the one before, or for the window
   * @param obstacle why nothing could be started until now, for people
   */
  @Pure
  public record ScheduleSnapshot(
      Instant plannedAt, Instant now, boolean running, int queued, String obstacle) {
    /** Without a better reason than that nobody did. */
    public ScheduleSnapshot(Instant plannedAt, Instant now, boolean running, int queued) {
      this(plannedAt, now, running, queued, "nothing could be started until " + now);
    }
  }

  /**
   * Run after run. The planned time of such a run is only its identity, so it rises by a hair when
   * a clock has gone back; what counts is when it is due. Stateless.
   */
  @Pure
  private static final class PerpetualStarts {
    /** The end of a run says when the next is due; this only finds one whose end told nothing. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

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
      Instant again = snapshot.now().plus(LOOK_AGAIN);
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
      return new NextStart(
          current.plannedAt() == null ? due : later(due, current.plannedAt()), due);
    }

    private static DueDecision nothing(NextStart next) {
      return new DueDecision(List.of(), List.of(), null, false, next);
    }

    private static Instant later(Instant one, Instant other) {
      return one.isAfter(other) ? one : other;
    }
  }
}

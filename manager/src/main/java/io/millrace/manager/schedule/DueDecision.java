package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import java.time.Instant;
import java.util.List;

/**
 * The outcome of deciding on a schedule, written in one transaction.
 *
 * @param launches runs to insert, oldest planned time first; at most one of them is not queued
 * @param passed planned times to record as missed or skipped
 * @param earlier missed times before those of {@code passed}, too many for a row each; null for
 *     none
 * @param stopRunning whether the run in progress is to be stopped for the first of the launches
 * @param next the row's new state; its planned time is never earlier than the old one
 */
@Pure
public record DueDecision(
    List<PlannedLaunch> launches,
    List<PassedTime> passed,
    PassedSpan earlier,
    boolean stopRunning,
    NextStart next) {
  public DueDecision {
    launches = List.copyOf(launches);
    passed = List.copyOf(passed);
  }

  /**
   * Missed times that are recorded as one, at the planned time {@code last}.
   *
   * @param first of them
   * @param last of them
   * @param count of them
   * @param reason human-readable; names first and count
   */
  @Pure
  public record PassedSpan(Instant first, Instant last, long count, String reason) {

    /** Consecutive times, counted in the reason; at least one. */
    public static PassedSpan of(Instant first, Instant last, long count, String reason) {
      String text =
          count == 1 ? reason : "%s; %d planned times since %s".formatted(reason, count, first);
      return new PassedSpan(first, last, count, text);
    }

    /** Consecutive times, oldest first; at least one. */
    static PassedSpan of(List<Instant> times, String reason) {
      return of(times.get(0), times.get(times.size() - 1), times.size(), reason);
    }
  }

  /**
   * A planned time that is recorded without a run.
   *
   * @param plannedAt unique for the task
   * @param state MISSED or SKIPPED
   * @param reason human-readable
   */
  @Pure
  public record PassedTime(Instant plannedAt, RunState state, String reason) {}

  /**
   * The next start in the row of a schedule.
   *
   * @param plannedAt the next planned time to decide on; never decreases; null for none
   * @param dueAt when to decide: the planned time plus jitter; null for none. May be earlier than
   *     the planned time for perpetual schedules only, where the planned time is just an identifier
   */
  @Pure
  public record NextStart(Instant plannedAt, Instant dueAt) {
    /** No further planned times. */
    public static final NextStart NEVER = new NextStart(null, null);

    public NextStart {
      if ((plannedAt == null) != (dueAt == null)) {
        throw new IllegalArgumentException("plannedAt and dueAt must both be null or both be set");
      }
    }
  }

  /**
   * A run to be inserted.
   *
   * @param plannedAt unique for the task
   * @param cause SCHEDULE, or CATCH_UP for a time that was missed
   * @param queued whether it waits for the previous run to end, or for the window to open;
   *     otherwise it starts now
   */
  @Pure
  public record PlannedLaunch(Instant plannedAt, RunCause cause, boolean queued) {}
}

package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunState;
import java.time.Instant;
import java.util.List;

/**
 * What is to be written in one transaction.
 *
 * @param launches runs to insert, oldest planned time first; at most one of them is not queued
 * @param passed planned times to record as missed or skipped
 * @param earlier missed times before those of {@code passed}, too many for a row each; null for
 *     none
 * @param stopRunning whether the run that lasts is to be stopped for the first of the launches
 * @param next the row's new state; its planned time is never before the old one
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
   * Many missed times that are recorded as one, at the planned time {@code last}.
   *
   * @param first of them
   * @param last of them
   * @param count of them
   * @param reason for people; names first and count
   */
  @Pure
  public record PassedSpan(Instant first, Instant last, long count, String reason) {

    /** Times in a row, told in words with how many they are; at least one. */
    public static PassedSpan of(Instant first, Instant last, long count, String reason) {
      String words =
          count == 1 ? reason : reason + "; " + count + " planned times from " + first + " on";
      return new PassedSpan(first, last, count, words);
    }

    /** Times in a row, oldest first; at least one. */
    static PassedSpan of(List<Instant> times, String reason) {
      return of(times.get(0), times.get(times.size() - 1), times.size(), reason);
    }
  }

  /**
   * A planned time that does not become a run; it is recorded.
   *
   * @param plannedAt with the task's name unique
   * @param state MISSED or SKIPPED
   * @param reason for people
   */
  @Pure
  public record PassedTime(Instant plannedAt, RunState state, String reason) {}

  /**
   * What the row of a schedule holds of the time to come.
   *
   * @param plannedAt the next planned time that was not decided upon yet; only rises; null for
   *     never again
   * @param dueAt when to decide: the planned time and its jitter; null for never again. Only that
   *     of a perpetual schedule may be before the planned time, which is just a name there
   */
  @Pure
  public record NextStart(Instant plannedAt, Instant dueAt) {
    /** There is no planned time any more. */
    public static final NextStart NEVER = new NextStart(null, null);

    public NextStart {
      if ((plannedAt == null) != (dueAt == null)) {
        throw new IllegalArgumentException("plannedAt and dueAt are both null or both given");
      }
    }
  }

  /**
   * A run to be inserted.
   *
   * @param plannedAt with the task's name unique
   * @param cause SCHEDULE, or CATCH_UP for a time that was missed
   * @param queued whether it waits: for the end of the run before (or of its stop), or for the
   *     window to open again; else it starts now
   */
  @Pure
  public record PlannedLaunch(Instant plannedAt, RunCause cause, boolean queued) {}
}

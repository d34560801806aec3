package io.millrace.manager.task;

import io.millrace.manager.schedule.NextStart;
import java.time.Instant;

/**
 * What is kept of a task besides its definition.
 *
 * @param task its name
 * @param version of the definition that the next start was computed from
 * @param firstApplied when it was first applied
 * @param next the planned time that is decided upon next
 * @param lastPlanned the newest planned time that was decided upon; null for none
 * @param revision rises with each change of the next start
 * @param paused whether nothing is started
 * @param pausedBy null when nobody did
 * @param pauseReason null for none
 * @param pausedUntil null for until somebody resumes it
 * @param pauseRecord run that records what passed in this pause so far; null for nothing
 * @param chunkSeconds measured time of one worker for one chunk; 0 while unknown
 */
public record ScheduleRow(
    String task,
    int version,
    Instant firstApplied,
    NextStart next,
    Instant lastPlanned,
    long revision,
    boolean paused,
    String pausedBy,
    String pauseReason,
    Instant pausedUntil,
    Long pauseRecord,
    double chunkSeconds) {
  /** Whether its time has come. */
  public boolean due(Instant now) {
    return next.dueAt() != null && !next.dueAt().isAfter(now);
  }
}

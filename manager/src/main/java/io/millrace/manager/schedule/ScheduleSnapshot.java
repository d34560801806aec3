package io.millrace.manager.schedule;

import io.millrace.api.Pure;
import java.time.Instant;

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

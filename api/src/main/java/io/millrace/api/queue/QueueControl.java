package io.millrace.api.queue;

import java.time.Instant;

/**
 * What operators have paused of a queue.
 *
 * @param queue its name
 * @param sendingPaused whether producers are refused
 * @param consumingPaused whether nothing is leased and no workers are started
 * @param by who set it
 * @param at when, by the database's clock
 * @param reason human-readable; null for none
 */
public record QueueControl(
    String queue,
    boolean sendingPaused,
    boolean consumingPaused,
    String by,
    Instant at,
    String reason) {
  /** Whether anything is paused. */
  public boolean paused() {
    return sendingPaused || consumingPaused;
  }

  /** Who has paused it and why, human-readable. */
  public String words() {
    return "paused by " + by + (reason == null ? "" : ": " + reason);
  }

  /**
   * Pauses or resumes a queue.
   *
   * @param sending whether sending is affected
   * @param consuming whether consuming is affected
   * @param reason human-readable; null for none
   */
  public record PauseRequest(boolean sending, boolean consuming, String reason) {}
}

package io.millrace.manager.dispatch;

import java.time.Instant;

/**
 * Quick failures of one definition on one node since its last success there.
 *
 * @param count in a row
 * @param times how often the node was closed to it
 * @param closedUntil end of the last closure; null when it was never closed
 * @param reason the last failure, for people
 */
public record QuickFailures(int count, int times, Instant closedUntil, String reason) {
  static final QuickFailures NONE = new QuickFailures(0, 0, null, "");

  /** Whether the node takes no job of the definition at all. */
  public boolean closed(Instant now) {
    return closedUntil != null && closedUntil.isAfter(now);
  }
}

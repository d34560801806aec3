package io.millrace.api.event;

import java.time.Duration;
import java.util.List;

/**
 * What became of an acknowledgement, a refusal or an extension.
 *
 * @param done receipts that were good
 * @param stale receipts whose lease had ended: those events were or will be delivered again
 * @param dead events that lie in the dead letters now because of this
 */
public record ReceiptAnswer(int done, List<String> stale, int dead) {

  /**
   * Tells that the events of these receipts are done.
   *
   * @param receipts at most 10,000
   */
  public record Acknowledgement(List<String> receipts) {}

  /**
   * Keeps leased events for longer.
   *
   * @param receipts at most 10,000
   * @param lease from now on
   */
  public record Extension(List<String> receipts, Duration lease) {}

  /**
   * Gives events back (negative acknowledgement).
   *
   * @param receipts at most 10,000
   * @param kind whose fault it was
   * @param delay not delivered again before; null for at once
   * @param reason for the dead letter, at most 2,000 characters kept; null if unknown
   */
  public record Refusal(List<String> receipts, RefusalKind kind, Duration delay, String reason) {}
}

package io.millrace.api.event;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import java.time.Duration;
import java.util.List;

/**
 * The result of an acknowledgement, a refusal or an extension.
 *
 * @param done receipts that were valid
 * @param stale receipts whose lease had expired: their events were or will be delivered again
 * @param dead events that have become dead letters because of this
 */
public record ReceiptAnswer(int done, List<String> stale, int dead) {

  /**
   * Reports the events of these receipts as done.
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
   * Returns events (negative acknowledgement).
   *
   * @param receipts at most 10,000
   * @param kind whose fault it was
   * @param delay time before the next delivery; null for none
   * @param reason for the dead letter, at most 2,000 characters kept; null if unknown
   */
  public record Refusal(List<String> receipts, RefusalKind kind, Duration delay, String reason) {}
}

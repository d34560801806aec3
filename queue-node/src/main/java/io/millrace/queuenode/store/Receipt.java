package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import java.time.Duration;
import java.util.List;

/**
 * Identifies one delivery of one event; written {@code seq.delivery.term}.
 *
 * @param seq the event
 * @param delivery the number of the delivery
 * @param term the term of the store that leased it
 */
public record Receipt(long seq, int delivery, long term) {
  private static final int RADIX = 10;
  private static final int MAX_DIGITS = 18;
  private static final int MAX_DELIVERY_DIGITS = 9;

  /**
   * Reads a receipt.
   *
   * @throws MillraceException INVALID_REQUEST if the text is not a receipt
   */
  public static Receipt parse(String text) {
    int first = text == null ? -1 : text.indexOf('.');
    int second = first < 0 ? -1 : text.indexOf('.', first + 1);
    if (second < 0
        || !isNumber(text, 0, first, MAX_DIGITS)
        || !isNumber(text, first + 1, second, MAX_DELIVERY_DIGITS)
        || !isNumber(text, second + 1, text.length(), MAX_DIGITS)) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "'" + text + "' is not a receipt; send the receipts exactly as the lease returned them");
    }
    return new Receipt(
        Long.parseLong(text, 0, first, RADIX),
        Integer.parseInt(text, first + 1, second, RADIX),
        Long.parseLong(text, second + 1, text.length(), RADIX));
  }

  private static boolean isNumber(String text, int from, int end, int maxDigits) {
    for (int i = from; i < end; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return end > from && end - from <= maxDigits;
  }

  @Override
  public String toString() {
    return seq + "." + delivery + "." + term;
  }

  /**
   * The outcome of processing receipts.
   *
   * @param done receipts that were valid
   * @param stale receipts whose lease had ended
   * @param dead events that became dead letters
   * @param ready events that can be leased again immediately
   */
  public record ReceiptOutcome(int done, List<Receipt> stale, int dead, int ready) {}

  /**
   * Returns leased events.
   *
   * @param queue the queue's name
   * @param receipts the deliveries to end
   * @param kind why the delivery ended
   * @param delay time before the next delivery
   * @param reason for the dead letter; null if unknown
   * @param limits when events become dead letters
   */
  public record RefuseOrder(
      String queue,
      List<Receipt> receipts,
      RefusalKind kind,
      Duration delay,
      String reason,
      DeliveryLimits limits) {}
}

package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;

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
          "'"
              + ShownText.of(text)
              + "' is not a receipt; send the receipts exactly as the lease returned them");
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
}

package io.millrace.queuenode.store;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.util.regex.Pattern;

/**
 * Names one delivery of one event; written {@code seq.delivery.term}.
 *
 * @param seq the event
 * @param delivery the number of the delivery
 * @param term the term of the store that leased it
 */
public record Receipt(long seq, int delivery, long term) {
  private static final Pattern FORM = Pattern.compile("\\d{1,18}\\.\\d{1,9}\\.\\d{1,18}");

  /**
   * Reads a receipt.
   *
   * @throws MillraceException INVALID_REQUEST when the text never was a receipt
   */
  public static Receipt parse(String text) {
    if (text == null || !FORM.matcher(text).matches()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "'" + text + "' is not a receipt; send the receipts of the lease as they were given");
    }
    int first = text.indexOf('.');
    int second = text.indexOf('.', first + 1);
    return new Receipt(
        Long.parseLong(text.substring(0, first)),
        Integer.parseInt(text.substring(first + 1, second)),
        Long.parseLong(text.substring(second + 1)));
  }

  @Override
  public String toString() {
    return seq + "." + delivery + "." + term;
  }
}

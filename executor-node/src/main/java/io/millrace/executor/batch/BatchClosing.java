package io.millrace.executor.batch;

import io.millrace.api.event.ReceiptAnswer;
import java.util.Optional;

/**
 * How the closing of a batch went.
 *
 * @param note for people, when not everything went as it should
 */
public record BatchClosing(Optional<String> note) {
  static BatchClosing answered(ReceiptAnswer answer, int receipts) {
    int stale = answer.stale() == null ? 0 : answer.stale().size();
    if (stale == 0) {
      return new BatchClosing(Optional.empty());
    }
    return new BatchClosing(
        Optional.of(
            stale
                + " of "
                + receipts
                + " events had been closed before, or their lease was over and they are delivered"
                + " again"));
  }

  static BatchClosing failed(String words) {
    return new BatchClosing(
        Optional.of(
            "the queue node could not be told the result, so that the events are delivered again: "
                + words));
  }
}

package io.millrace.cli.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Figures;
import java.util.EnumSet;
import java.util.Set;

/** Says which events of a queue of sessions were refused, and what to do. Not thread-safe. */
final class SendRefusals {
  private static final int MOST_SHOWN = 50;

  private final Invocation invocation;
  private final Set<ErrorCode> codes = EnumSet.noneOf(ErrorCode.class);
  private long refused;

  SendRefusals(Invocation invocation) {
    this.invocation = invocation;
  }

  /**
   * Notes the refused events of a batch.
   *
   * @return whether later batches must not be sent: their events of the same keys would come before
   *     these
   */
  boolean note(SendAnswer answer) {
    boolean ends = false;
    for (RefusedEvent event : answer.refused()) {
      if (refused++ < MOST_SHOWN) {
        invocation.note(Escaping.text(line(answer.batch(), event)));
      }
      codes.add(event.code());
      ends |= event.key() != null && event.code() != ErrorCode.DUPLICATE;
    }
    return ends;
  }

  private static String line(String batch, RefusedEvent event) {
    return "refused: event %d of %s (id %s, %s): %s: %s"
        .formatted(
            event.index(),
            batch,
            event.id(),
            event.key() == null ? "no key" : "key " + event.key(),
            event.code(),
            event.message());
  }

  boolean none() {
    return refused == 0;
  }

  /**
   * Says what to do.
   *
   * @param batch the name that was given or generated for all batches
   * @param ended whether later batches were not sent
   */
  void advise(String batch, boolean ended) {
    if (refused > MOST_SHOWN) {
      invocation.note("… and %s more".formatted(Figures.count(refused - MOST_SHOWN)));
    }
    invocation.note(Figures.count(refused, "event") + " refused");
    if (ended) {
      invocation.note(
          "nothing was sent after this batch, so that no event comes before an earlier one of its"
              + " key");
    }
    if (codes.contains(ErrorCode.DUPLICATE)) {
      invocation.note(
          "DUPLICATE: the session of the key is completed; sessions.duplicates of the queue says"
              + " what becomes of such events");
    }
    if (codes.contains(ErrorCode.INVALID_REQUEST)) {
      invocation.note(
          "INVALID_REQUEST: correct these events and send only those, under another batch name");
    }
    boolean passing =
        codes.stream()
            .anyMatch(code -> code != ErrorCode.DUPLICATE && code != ErrorCode.INVALID_REQUEST);
    if (passing) {
      invocation.note(
          "send the same again later with --batch %s: what is stored is not stored twice"
              .formatted(batch));
    }
  }
}

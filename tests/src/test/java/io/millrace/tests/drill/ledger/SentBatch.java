package io.millrace.tests.drill.ledger;

import java.util.List;

/**
 * A batch that a producer has tried to send, perhaps several times.
 *
 * @param queue its queue
 * @param ids of its events, unique over the drill
 * @param notBefore earliest permitted delivery of its events, on the drill's clock
 * @param outcome of all tries together
 * @param outcomeDoubtful whether the outcome of any try was unknown, even if a later one was
 *     acknowledged
 */
public record SentBatch(
    String queue, List<String> ids, long notBefore, BatchOutcome outcome, boolean outcomeDoubtful) {
  public SentBatch {
    ids = List.copyOf(ids);
  }
}

package io.millrace.api.event;

import java.util.List;

/**
 * What came of an action on the events of a queue, over all its segments.
 *
 * @param events events that it concerned
 * @param unreached queue nodes that hold a segment and did not answer: nothing is known of them, so
 *     repeat the action when they are back
 */
public record QueueActionAnswer(long events, List<String> unreached) {
  public QueueActionAnswer {
    unreached = unreached == null ? List.of() : List.copyOf(unreached);
  }
}

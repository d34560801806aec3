package io.millrace.api.event;

import java.util.List;

/**
 * The result of an action on the events of a queue in all its segments.
 *
 * @param events the number of events affected
 * @param unreached queue nodes that hold a segment and did not answer: repeat the action when they
 *     are back
 */
public record QueueActionAnswer(long events, List<String> unreached) {
  public QueueActionAnswer {
    unreached = unreached == null ? List.of() : List.copyOf(unreached);
  }

  /**
   * Deletes events that are not leased.
   *
   * @param confirm the queue's name, repeated so that no queue is emptied by mistake
   * @param waiting whether to delete ready events
   * @param delayed whether to delete delayed events
   * @param dead whether to delete dead letters
   */
  public record PurgeRequest(String confirm, boolean waiting, boolean delayed, boolean dead) {}
}

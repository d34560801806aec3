package io.millrace.cli.definition;

import io.millrace.api.job.Outcome;
import io.millrace.api.queue.QueueDefinition;

/** What a worker's end would have meant for its events, had they been the queue's. Pure. */
final class EventFate {
  private EventFate() {}

  /** In words; the same rules by which execution nodes close a batch (H-094). */
  static String of(Outcome outcome, int events, QueueDefinition queue) {
    String them = events == 1 ? "the event" : "the " + events + " events";
    return switch (outcome) {
      case SUCCEEDED, IDLE -> them + " would be acknowledged";
      case FAILED, SIGNALLED, TIMED_OUT, MEMORY_EXCEEDED -> failed(them, events, queue);
      case START_FAILED, STOPPED, LOST ->
          them
              + " would be delivered again at no charge; after "
              + queue.maxReturns()
              + " such returns an event is a dead letter";
    };
  }

  private static String failed(String them, int events, QueueDefinition queue) {
    if (events > 1) {
      return them
          + " would be delivered again one by one; one whose worker fails "
          + queue.maxAttempts()
          + " times is a dead letter";
    }
    return queue.maxAttempts() == 1
        ? them + " would be a dead letter now"
        : them
            + " would be delivered again; after "
            + queue.maxAttempts()
            + " failures it is a dead letter";
  }
}

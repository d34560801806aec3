package io.millrace.queuenode.http;

import java.time.Duration;

/**
 * What holds for the events of a body that say nothing else.
 *
 * @param batch names events without an id of their own
 * @param delayMillis not delivered before
 * @param priority 0 to 9
 */
record EventDefaults(String batch, long delayMillis, int priority) {
  /** The longest delay of an event. */
  static final Duration LONGEST_DELAY = Duration.ofDays(365);

  /** Neither delay nor priority. */
  static EventDefaults of(String batch) {
    return new EventDefaults(batch, 0, 0);
  }

  /** The id of an event by its place in the batch. */
  String id(int index) {
    return batch + "-" + index;
  }
}

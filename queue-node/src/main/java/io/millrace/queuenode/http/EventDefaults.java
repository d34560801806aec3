package io.millrace.queuenode.http;

import java.time.Duration;

/**
 * Defaults for the events of a body.
 *
 * @param batch names events without their own id
 * @param delayMillis time before the first delivery
 * @param priority 0 to 9
 */
record EventDefaults(String batch, long delayMillis, int priority) {
  /** The longest delay of an event. */
  static final Duration LONGEST_DELAY = Duration.ofDays(365);

  /** Neither delay nor priority. */
  static EventDefaults of(String batch) {
    return new EventDefaults(batch, 0, 0);
  }

  /** The id of an event by its position in the batch. */
  String id(int index) {
    return batch + "-" + index;
  }
}

package io.millrace.platform.event;

import java.time.Duration;

/**
 * Defaults for the events of a body.
 *
 * @param batch names events without their own id
 * @param delayMillis time before the first delivery
 * @param priority 0 to 9
 * @param first the place of the body's first event in its batch, of which the body may be a part
 */
public record EventDefaults(String batch, long delayMillis, int priority, long first) {
  /** The longest delay of an event. */
  public static final Duration LONGEST_DELAY = Duration.ofDays(365);

  /** The defaults of a whole batch. */
  public EventDefaults(String batch, long delayMillis, int priority) {
    this(batch, delayMillis, priority, 0);
  }

  /** Neither delay nor priority. */
  public static EventDefaults of(String batch) {
    return new EventDefaults(batch, 0, 0);
  }

  /** The id of an event by its position in the body. */
  public String id(int index) {
    return batch + "-" + (first + index);
  }
}

package io.millrace.manager.queue;

import java.time.Duration;

/**
 * Settings of the queue side.
 *
 * @param sampleEvery time between two points of a queue's history; null for 5 s
 */
public record QueueSettings(Duration sampleEvery) {
  public QueueSettings {
    sampleEvery = sampleEvery == null ? Duration.ofSeconds(5) : sampleEvery;
    if (sampleEvery.compareTo(Duration.ofMillis(200)) < 0) {
      throw new IllegalArgumentException("sampleEvery is at least 200ms, not " + sampleEvery);
    }
  }

  public static QueueSettings defaults() {
    return new QueueSettings(null);
  }
}

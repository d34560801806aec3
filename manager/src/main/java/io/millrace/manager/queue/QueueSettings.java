package io.millrace.manager.queue;

import java.time.Duration;

/**
 * Settings of the queue side.
 *
 * @param sampleEvery time between two points of a queue's history; null for 5 s
 * @param nodeLease a queue node that reports nothing for so long is silent; null for 10 s
 * @param lossGrace a silent one is lost after so much more, and its points go to others; null for
 *     30 s
 */
public record QueueSettings(Duration sampleEvery, Duration nodeLease, Duration lossGrace) {
  public QueueSettings {
    sampleEvery = sampleEvery == null ? Duration.ofSeconds(5) : sampleEvery;
    nodeLease = nodeLease == null ? Duration.ofSeconds(10) : nodeLease;
    lossGrace = lossGrace == null ? Duration.ofSeconds(30) : lossGrace;
    if (sampleEvery.compareTo(Duration.ofMillis(200)) < 0) {
      throw new IllegalArgumentException("sampleEvery is at least 200ms, not " + sampleEvery);
    }
    if (nodeLease.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("nodeLease is at least 1s, not " + nodeLease);
    }
    if (lossGrace.isNegative()) {
      throw new IllegalArgumentException("lossGrace is not negative: " + lossGrace);
    }
  }

  /** Samples as often as told, the rest as usual. */
  public QueueSettings(Duration sampleEvery) {
    this(sampleEvery, null, null);
  }

  public static QueueSettings defaults() {
    return new QueueSettings(null, null, null);
  }
}

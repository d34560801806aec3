package io.millrace.manager.queue;

import java.time.Duration;

/**
 * Settings for queues and queue nodes.
 *
 * @param sampleEvery time between two samples of a queue or node; null for 5 s
 * @param nodeLease a queue node that does not report for this long is silent; null for 10 s
 * @param lossGrace a silent node is lost after this further time, and its points go to others; null
 *     for 30 s
 */
public record QueueSettings(Duration sampleEvery, Duration nodeLease, Duration lossGrace) {
  public QueueSettings {
    sampleEvery = sampleEvery == null ? Duration.ofSeconds(5) : sampleEvery;
    nodeLease = nodeLease == null ? Duration.ofSeconds(10) : nodeLease;
    lossGrace = lossGrace == null ? Duration.ofSeconds(30) : lossGrace;
    if (sampleEvery.compareTo(Duration.ofMillis(200)) < 0) {
      throw new IllegalArgumentException("sampleEvery must be at least 200ms, not " + sampleEvery);
    }
    if (nodeLease.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("nodeLease must be at least 1s, not " + nodeLease);
    }
    if (lossGrace.isNegative()) {
      throw new IllegalArgumentException("lossGrace must not be negative: " + lossGrace);
    }
  }

  /** Settings with a sampling interval and defaults otherwise. */
  public QueueSettings(Duration sampleEvery) {
    this(sampleEvery, null, null);
  }

  public static QueueSettings defaults() {
    return new QueueSettings(null, null, null);
  }
}

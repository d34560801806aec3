package io.millrace.cli.queue;

import io.millrace.api.insight.QueueView;
import io.millrace.cli.output.Ages;

/** When nothing will wait any more, in words. */
final class Emptying {
  private Emptying() {}

  /** {@code 3m07s}; a dash when nothing waits, {@code grows} when more comes than is done. */
  static String words(QueueView queue) {
    if (queue.waiting() == 0) {
      return "-";
    }
    return queue.secondsToEmpty() == null ? "grows" : Ages.took(queue.secondsToEmpty());
  }
}

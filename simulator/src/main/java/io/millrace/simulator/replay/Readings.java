package io.millrace.simulator.replay;

import io.millrace.manager.pacing.QueueFigures;

/**
 * What decisions saw of their queue, as far as they are kept: the one thing that can be compared
 * between a record and a simulation without any assumption. Used by one thread.
 */
final class Readings {
  private long kept;
  private double waiting;
  private double ages;
  private double oldest;

  void add(double waitingNow, double oldestSeconds) {
    kept++;
    waiting += waitingNow;
    ages += oldestSeconds;
    oldest = Math.max(oldest, oldestSeconds);
  }

  void add(QueueFigures queue) {
    add((double) queue.waiting(), queue.oldestAge().toNanos() / 1e9);
  }

  /** The means and the longest, as rows show them. */
  ReplayRow.Seen seen() {
    return new ReplayRow.Seen(
        kept, kept == 0 ? 0 : waiting / kept, kept == 0 ? 0 : ages / kept, oldest);
  }
}

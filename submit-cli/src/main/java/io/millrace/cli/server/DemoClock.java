package io.millrace.cli.server;

import io.millrace.platform.clock.Clock;

/** The time of the replayed day, running so many times as fast as the real one. Thread-safe. */
final class DemoClock {
  private static final double NANOS = 1e9;

  private final Clock clock;
  private final double speed;
  private final double from;
  private final double to;
  private final long started;

  /**
   * Starts now.
   *
   * @param from seconds of the day at which it begins
   * @param to seconds of the day at which it stands still
   */
  DemoClock(Clock clock, double speed, double from, double to) {
    this.clock = clock;
    this.speed = speed;
    this.from = from;
    this.to = to;
    this.started = clock.nanoTime();
  }

  /** Seconds of the replayed day that have passed. */
  double seconds() {
    return Math.min(to, from + (clock.nanoTime() - started) / NANOS * speed);
  }
}

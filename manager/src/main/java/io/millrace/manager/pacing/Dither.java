package io.millrace.manager.pacing;

import io.millrace.api.Pure;

/**
 * Varies what a run is worth by up to a tenth, from event to event and evenly.
 *
 * <p>Events that wait are whole ones, and a measured rate takes the same values again and again, so
 * that a setting would have no effect over a wide range and a great one at its end. Varied, each
 * setting between two others gives figures between theirs. Multiples of the golden ratio fill the
 * range evenly, and equal counters give equal decisions, so that a recorded one can be repeated.
 */
@Pure
final class Dither {
  private static final double GOLDEN = (Math.sqrt(5) - 1) / 2;
  private static final double RANGE = 0.2;

  private Dither() {}

  /** Between 0.9 and 1.1. */
  static double factor(long inserted) {
    double share = inserted * GOLDEN;
    return 1 + RANGE * (0.5 - (share - Math.floor(share)));
  }
}

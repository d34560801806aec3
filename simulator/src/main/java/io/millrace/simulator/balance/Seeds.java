package io.millrace.simulator.balance;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Independent streams of chance from one seed. */
final class Seeds {
  private Seeds() {}

  /** The stream of a purpose; the same for equal seeds. */
  static RandomGenerator stream(long seed, String purpose) {
    return new SplittableRandom(31 * seed + purpose.hashCode());
  }
}

package io.millrace.manager.job;

/** Sizes of memory in four steps for each doubling. Pure. */
final class MemorySteps {
  private static final long LEAST = 16L << 20;

  private MemorySteps() {}

  /** The next step that is not less; 16 MB at least. */
  static long up(double bytes) {
    long power = LEAST;
    while (power * 2 <= bytes) {
      power *= 2;
    }
    long quarter = power / 4;
    long steps = (long) Math.ceil(Math.max(0, bytes - power) / quarter);
    return power + steps * quarter;
  }
}

package io.millrace.platform.schema;

/**
 * What the checks of all data of one request may take together: each may take as much as a check of
 * its own, as far as the ones before have left it. One thread.
 */
public final class CheckBudget {
  // One piece of data that exceeds the bound of a check leaves enough for the others.
  private static final long STEPS = 2 * CheckBound.STEPS;

  private long left = STEPS;
  private boolean spent;

  /**
   * Whether a check was given up although its data alone might not exceed the bound: they may match
   * in a request of their own.
   */
  public boolean spent() {
    return spent;
  }

  /** The steps of the next check. */
  long granted() {
    return Math.min(left, CheckBound.STEPS);
  }

  /**
   * Notes the end of a check.
   *
   * @param granted its steps
   * @param unused those that it did not need; negative if they were not enough
   */
  void settle(long granted, long unused) {
    left -= granted - Math.max(0, unused);
    spent |= unused < 0 && granted < CheckBound.STEPS;
  }
}

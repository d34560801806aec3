package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;

/** What is wrong with an option or an argument, found before anything was sent. */
public final class Refusal {
  private Refusal() {}

  /**
   * The exception to throw.
   *
   * @param option the option or argument as one writes it
   * @param fix what to write instead
   */
  public static MillraceException of(String option, String fix) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, option + ": " + fix);
  }

  /** Refuses unless the rule is kept. */
  public static void unless(boolean kept, String option, String fix) {
    if (!kept) {
      throw of(option, fix);
    }
  }

  /** Refuses a number outside the limits; null passes. */
  public static void outside(String option, Number given, double least, double most) {
    if (given != null && !(given.doubleValue() >= least && given.doubleValue() <= most)) {
      throw of(option, "use " + plain(least) + " to " + plain(most) + ", not " + given);
    }
  }

  /** Refuses a number below the limit; null passes. */
  public static void below(String option, Number given, double least) {
    if (given != null && !(given.doubleValue() >= least)) {
      throw of(option, "use at least " + plain(least) + ", not " + given);
    }
  }

  private static String plain(double limit) {
    return limit == Math.rint(limit) ? String.valueOf((long) limit) : String.valueOf(limit);
  }
}

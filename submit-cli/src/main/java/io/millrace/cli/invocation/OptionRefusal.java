package io.millrace.cli.invocation;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;

/** Refuses options and arguments before anything is sent. */
public final class OptionRefusal {
  private OptionRefusal() {}

  /**
   * The exception to throw.
   *
   * @param option the option or argument, such as {@code --jobs}
   * @param fix what to use instead
   */
  public static MillraceException of(String option, String fix) {
    return refusal(option + ": " + fix);
  }

  private static MillraceException refusal(String message) {
    return new MillraceException(ErrorCode.INVALID_REQUEST, message);
  }

  /** Refuses unless the condition holds. */
  public static void unless(boolean condition, String option, String fix) {
    if (!condition) {
      throw of(option, fix);
    }
  }

  /** Refuses a number outside the limits; null passes. */
  public static void outside(String option, Number given, double min, double max) {
    if (given != null && !(given.doubleValue() >= min && given.doubleValue() <= max)) {
      throw refusal(
          option + " must be from " + plain(min) + " to " + plain(max) + ", not " + given);
    }
  }

  /** Refuses a number below the limit; null passes. */
  public static void below(String option, Number given, double min) {
    if (given != null && !(given.doubleValue() >= min)) {
      throw refusal(option + " must be at least " + plain(min) + ", not " + given);
    }
  }

  private static String plain(double limit) {
    return limit == Math.rint(limit) ? String.valueOf((long) limit) : String.valueOf(limit);
  }
}

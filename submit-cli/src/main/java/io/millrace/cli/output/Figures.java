package io.millrace.cli.output;

import java.util.Locale;

/** Formats numbers. */
public final class Figures {
  private Figures() {}

  /** {@code 90,094}. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** {@code 1 event}, {@code 90,094 events}. */
  public static String count(long number, String thing) {
    return count(number) + " " + thing + (number == 1 ? "" : "s");
  }

  /** {@code 0}, {@code 0.25}, {@code 12.3}, {@code 1,592}: three significant figures. */
  public static String rate(double perSecond) {
    if (perSecond == 0) {
      return "0";
    }
    String form = perSecond < 10 ? "%.2f" : perSecond < 100 ? "%.1f" : "%,.0f";
    return String.format(Locale.ROOT, form, perSecond);
  }
}

package io.millrace.cli.output;

import java.util.Locale;

/** Numbers as people read them. */
public final class Figures {
  private Figures() {}

  /** {@code 90,094}. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** {@code 0}, {@code 0.25}, {@code 12.3}, {@code 1,592}: three figures that matter. */
  public static String rate(double perSecond) {
    if (perSecond == 0) {
      return "0";
    }
    String form = perSecond < 10 ? "%.2f" : perSecond < 100 ? "%.1f" : "%,.0f";
    return String.format(Locale.ROOT, form, perSecond);
  }
}

package io.millrace.cli.output;

import java.util.List;
import java.util.Locale;

/** Formats numbers. */
public final class Figures {
  private static final List<String> UNITS = List.of("B", "KB", "MB", "GB", "TB");

  private Figures() {}

  /** {@code 90,094}. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** {@code 0B}, {@code 512KB}, {@code 1.4GB}; units are powers of 1024. */
  public static String bytes(long number) {
    double amount = number;
    int unit = 0;
    while (amount >= 1024 && unit < UNITS.size() - 1) {
      amount /= 1024;
      unit++;
    }
    String form = unit == 0 || amount >= 10 || amount == Math.rint(amount) ? "%.0f%s" : "%.1f%s";
    return String.format(Locale.ROOT, form, amount, UNITS.get(unit));
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

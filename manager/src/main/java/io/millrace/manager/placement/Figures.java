package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.Locale;

/** Amounts as people read them. */
@Pure
public final class Figures {
  private static final String[] UNITS = {"", "KB", "MB", "GB", "TB"};

  private Figures() {}

  /** A size in bytes to one decimal of its largest unit: {@code 15.6GB}. */
  public static String size(long bytes) {
    double amount = bytes;
    int unit = 0;
    while (amount >= 1024 && unit < UNITS.length - 1) {
      amount /= 1024;
      unit++;
    }
    return number(Math.round(amount * 10) / 10.0) + UNITS[unit];
  }

  /** A number without needless zeros: {@code 4}, {@code 0.5}. */
  public static String number(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    String text = String.format(Locale.ROOT, "%.3f", value);
    return text.replaceAll("0+$", "");
  }
}

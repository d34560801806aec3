package io.millrace.api;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes in bytes as {@code 512}, {@code 64KB}, {@code 8MB}, {@code 2GB}; units are powers of 1024.
 */
public final class Sizes {
  private static final Pattern FORM = Pattern.compile("(\\d{1,15})\\s*(B|KB|MB|GB|TB)?");

  private static final List<String> UNITS = List.of("B", "KB", "MB", "GB", "TB");

  private Sizes() {}

  /**
   * Reads a size in bytes.
   *
   * @throws IllegalArgumentException if the text has none of the accepted forms, which the message
   *     lists
   */
  public static long parse(String text) {
    Matcher form = FORM.matcher(text.strip().toUpperCase(Locale.ROOT).replace("IB", "B"));
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a size; write for instance 512, 64KB, 8MB or 2GB");
    }
    long amount = Long.parseLong(form.group(1));
    return Math.multiplyExact(amount, unit(form.group(2)));
  }

  private static long unit(String unit) {
    if (unit == null || unit.equals("B")) {
      return 1;
    }
    return switch (unit) {
      case "KB" -> 1L << 10;
      case "MB" -> 1L << 20;
      case "GB" -> 1L << 30;
      default -> 1L << 40;
    };
  }

  /**
   * Writes a size for messages and tables, to one decimal of its largest unit: {@code 0B}, {@code
   * 512MB}, {@code 10.6GB}.
   */
  public static String readable(long bytes) {
    double amount = bytes;
    int unit = 0;
    while (amount >= 1024 && unit < UNITS.size() - 1) {
      amount /= 1024;
      unit++;
    }
    String number = String.format(Locale.ROOT, "%.1f", amount);
    return (number.endsWith(".0") ? number.substring(0, number.length() - 2) : number)
        + UNITS.get(unit);
  }

  /**
   * Writes a size in the largest unit that divides it, so that {@link #parse} reads the same size.
   */
  public static String format(long bytes) {
    String[] units = {"TB", "GB", "MB", "KB"};
    for (String unit : units) {
      long size = unit(unit);
      if (bytes >= size && bytes % size == 0) {
        return bytes / size + unit;
      }
    }
    return Long.toString(bytes);
  }
}

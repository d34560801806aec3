package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One attribute of a node.
 *
 * @param variable of the language
 * @param key in it, if it is a map; null otherwise
 */
@Pure
record Attribute(String variable, String key) {
  /** What a node has there. */
  Optional<Object> of(NodeFacts node) {
    Optional<Object> value = node.value(variable);
    return key == null
        ? value
        : value.map(map -> map instanceof Map<?, ?> entries ? entries.get(key) : null);
  }

  /** A value of it, for people. */
  String words(Object value) {
    if (variable.equals("memory") && value instanceof Long bytes) {
      return Figures.size(bytes);
    }
    return value instanceof Double number ? Figures.number(number) : String.valueOf(value);
  }

  @Override
  public String toString() {
    return key == null ? variable : variable + "." + key;
  }

  /** Amounts as people read them. */
  @Pure
  private static final class Figures {
    private static final String[] UNITS = {"", "KB", "MB", "GB", "TB"};

    private Figures() {}

    /** A size in bytes to one decimal of its largest unit: {@code 15.6GB}. */
    static String size(long bytes) {
      double amount = bytes;
      int unit = 0;
      while (amount >= 1024 && unit < UNITS.length - 1) {
        amount /= 1024;
        unit++;
      }
      return number(Math.round(amount * 10) / 10.0) + UNITS[unit];
    }

    /** A number without needless zeros: {@code 4}, {@code 0.5}. */
    static String number(double value) {
      if (value == Math.rint(value) && Math.abs(value) < 1e15) {
        return Long.toString((long) value);
      }
      String text = String.format(Locale.ROOT, "%.3f", value);
      return text.replaceAll("0+$", "");
    }
  }
}

package io.millrace.cli.output;

import java.util.Locale;

/**
 * Makes text that others wrote harmless for a terminal: control characters and marks that turn the
 * direction of writing are shown, not obeyed.
 */
public final class Escaping {
  private Escaping() {}

  /** One line of harmless text; null becomes a dash. */
  public static String text(String raw) {
    if (raw == null) {
      return "-";
    }
    if (raw.chars().noneMatch(Escaping::harmful)) {
      return raw;
    }
    StringBuilder safe = new StringBuilder(raw.length() + 16);
    raw.chars().forEach(unit -> append(safe, unit));
    return safe.toString();
  }

  private static void append(StringBuilder safe, int unit) {
    if (!harmful(unit)) {
      safe.append((char) unit);
    } else {
      safe.append(
          switch (unit) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> String.format(Locale.ROOT, unit < 0x100 ? "\\x%02x" : "\\u%04x", unit);
          });
    }
  }

  private static boolean harmful(int unit) {
    return unit < 0x20
        || (unit >= 0x7f && unit < 0xa0)
        || unit == 0x200e
        || unit == 0x200f
        || (unit >= 0x2028 && unit <= 0x202e)
        || (unit >= 0x2066 && unit <= 0x2069);
  }
}

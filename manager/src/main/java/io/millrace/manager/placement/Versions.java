package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.regex.Pattern;

/** Compares versions by their numbers: 17.0.2 is at least 9. */
@Pure
final class Versions {
  private static final Pattern BETWEEN = Pattern.compile("[^0-9]+");

  private Versions() {}

  /** Whether a version is another or a later one; parts without digits are passed over. */
  static boolean atLeast(String version, String least) {
    String[] has = BETWEEN.split(version);
    String[] needs = BETWEEN.split(least);
    for (int i = 0; i < Math.max(has.length, needs.length); i++) {
      int order = compare(number(has, i), number(needs, i));
      if (order != 0) {
        return order > 0;
      }
    }
    return true;
  }

  // Without leading zeros the longer number is the larger one, however long they are.
  private static int compare(String left, String right) {
    return left.length() == right.length()
        ? left.compareTo(right)
        : Integer.compare(left.length(), right.length());
  }

  private static String number(String[] parts, int at) {
    String digits = at < parts.length ? parts[at] : "";
    int from = 0;
    while (from < digits.length() && digits.charAt(from) == '0') {
      from++;
    }
    return digits.substring(from);
  }
}

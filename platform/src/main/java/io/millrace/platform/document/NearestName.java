package io.millrace.platform.document;

import io.millrace.api.Pure;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Suggests the name that was meant by a misspelt one. Pure. */
@Pure
public final class NearestName {
  private static final int LONGEST = 60;

  private NearestName() {}

  /**
   * The most similar candidate, alphabetically the first of equals; empty if none is close enough:
   * one edit, or one for every three of its letters. A text of more than 60 characters is no name,
   * and its comparison with many would take long.
   */
  public static Optional<String> of(String wrong, Collection<String> candidates) {
    if (wrong.length() > LONGEST) {
      return Optional.empty();
    }
    return candidates.stream()
        .filter(candidate -> candidate.length() <= 2 * LONGEST)
        .filter(candidate -> distance(wrong, candidate) <= Math.max(1, candidate.length() / 3))
        .min(
            Comparator.<String>comparingInt(candidate -> distance(wrong, candidate))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Levenshtein distance, ignoring case, dashes and underscores: pool-size equals poolSize. */
  private static int distance(String left, String right) {
    String a = plain(left);
    String b = plain(right);
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substitution = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(substitution, Math.min(previous[j], current[j - 1]) + 1);
      }
      previous = current;
    }
    return previous[b.length()];
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }
}

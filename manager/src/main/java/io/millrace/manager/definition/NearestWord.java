package io.millrace.manager.definition;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds what a mistyped word probably meant. */
final class NearestWord {
  private NearestWord() {}

  /** The known word with the fewest edits, if at most half of the letters differ. */
  static Optional<String> to(String word, Collection<String> known) {
    return known.stream()
        .min(Comparator.comparingInt((String one) -> edits(word, one)).thenComparing(one -> one))
        .filter(one -> edits(word, one) <= Math.max(1, Math.max(word.length(), one.length()) / 2));
  }

  /** Levenshtein distance, letter case ignored. */
  private static int edits(String left, String right) {
    String a = left.toLowerCase(Locale.ROOT);
    String b = right.toLowerCase(Locale.ROOT);
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}

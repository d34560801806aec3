package io.millrace.cli.invocation;

import io.millrace.api.Pure;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * What was probably meant by an unknown word: known words that begin with it, or that differ from
 * it in few of their letters. Pure.
 */
@Pure
public final class Suggestions {
  private static final int MOST = 3;
  private static final int SHORTEST_BEGINNING = 2;

  /** One letter of so many may be wrong. */
  private static final int LETTERS_PER_EDIT = 3;

  private Suggestions() {}

  private record Candidate(String word, int edits) {}

  /** The most similar ones first; empty if none is similar. */
  public static List<String> of(String word, Collection<String> known) {
    return known.stream()
        .distinct()
        .map(one -> new Candidate(one, edits(word, one)))
        .filter(one -> isSimilar(word, one))
        .sorted(Comparator.comparingInt(Candidate::edits).thenComparing(Candidate::word))
        .limit(MOST)
        .map(Candidate::word)
        .toList();
  }

  private static boolean isSimilar(String word, Candidate candidate) {
    boolean begins = word.length() >= SHORTEST_BEGINNING && candidate.word().startsWith(word);
    int longer = Math.max(letters(word), letters(candidate.word()));
    return begins || candidate.edits() * LETTERS_PER_EDIT <= longer;
  }

  /** Without the dashes of an option, which all options have. */
  private static int letters(String word) {
    int first = 0;
    while (first < word.length() && word.charAt(first) == '-') {
      first++;
    }
    return word.length() - first;
  }

  /** The fewest letters to insert, delete, replace or swap with their neighbour. */
  private static int edits(String from, String to) {
    int[][] edits = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        edits[i][j] = i == 0 || j == 0 ? i + j : cheapest(edits, from, to, i, j);
      }
    }
    return edits[from.length()][to.length()];
  }

  private static int cheapest(int[][] edits, String from, String to, int i, int j) {
    int change = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
    int best =
        Math.min(edits[i - 1][j - 1] + change, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
    boolean swapped =
        i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1);
    return swapped ? Math.min(best, edits[i - 2][j - 2] + 1) : best;
  }
}

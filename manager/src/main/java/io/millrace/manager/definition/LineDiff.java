package io.millrace.manager.definition;

import java.util.ArrayList;
import java.util.List;

/** Lines that go and come between two texts, by their longest common subsequence. Pure. */
final class LineDiff {
  private LineDiff() {}

  /** The changed lines only, in order: {@code "- "} and the old one, {@code "+ "} and the new. */
  static List<String> between(List<String> before, List<String> after) {
    int[][] common = commonLengths(before, after);
    List<String> diff = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < before.size() || j < after.size()) {
      if (i < before.size() && j < after.size() && before.get(i).equals(after.get(j))) {
        i++;
        j++;
      } else if (j == after.size() || (i < before.size() && common[i + 1][j] >= common[i][j + 1])) {
        diff.add("- " + before.get(i++));
      } else {
        diff.add("+ " + after.get(j++));
      }
    }
    return List.copyOf(diff);
  }

  private static int[][] commonLengths(List<String> before, List<String> after) {
    int[][] common = new int[before.size() + 1][after.size() + 1];
    for (int i = before.size() - 1; i >= 0; i--) {
      for (int j = after.size() - 1; j >= 0; j--) {
        common[i][j] =
            before.get(i).equals(after.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    return common;
  }
}

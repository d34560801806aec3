package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.definition.DefinitionText.CanonicalForm;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Stored versions as lines, including those that violate later rules. Pure. */
final class StoredText {
  private final DefinitionKinds kinds;

  StoredText(DefinitionKinds kinds) {
    this.kinds = kinds;
  }

  /** The stored fields, regardless of current rules. */
  static ObjectNode fields(DefinitionRow row) {
    return Json.read(row.body(), ObjectNode.class);
  }

  /** The lines as stored. */
  static List<String> written(DefinitionRow row) {
    return CanonicalForm.yaml(row.kind(), Json.read(row.body(), JsonNode.class), Map.of());
  }

  /** The lines with current defaults, so that a new default does not count as a change. */
  List<String> today(DefinitionRow row) {
    return reparsed(row).orElseGet(() -> written(row));
  }

  /** The difference between two versions, compared in the same form. */
  List<String> difference(DefinitionRow before, DefinitionRow after) {
    Optional<List<String>> old = reparsed(before);
    Optional<List<String>> young = reparsed(after);
    return old.isPresent() && young.isPresent()
        ? LineDiff.between(old.get(), young.get())
        : LineDiff.between(written(before), written(after));
  }

  private Optional<List<String>> reparsed(DefinitionRow row) {
    try {
      return kinds
          .find(row.kind())
          .map(
              kind ->
                  CanonicalForm.yaml(
                      row.kind(),
                      Json.read(row.body(), kind.type()),
                      DefinitionLabels.of(fields(row))));
    } catch (MillraceException e) {
      // The version violates a later rule.
      return Optional.empty();
    }
  }

  /**
   * The difference between two texts by line, from their longest common subsequence (E. Myers, An
   * O(ND) Difference Algorithm, 1986). Pure; used once.
   */
  static final class LineDiff {
    // The search keeps a row for each changed line, so that its memory grows with the square of
    // their number: 1 MB for this many.
    private static final int MAX_SEARCHED = 500;

    private final List<String> before;
    private final List<String> after;
    private final List<String> diff = new ArrayList<>();

    private LineDiff(List<String> before, List<String> after) {
      this.before = before;
      this.after = after;
    }

    /**
     * The changed lines in order: removed ones with {@code "- "}, added ones with {@code "+ "}. If
     * more than 500 lines differ, all lines from the first to the last change are removed and
     * added.
     */
    static List<String> between(List<String> before, List<String> after) {
      int shorter = Math.min(before.size(), after.size());
      int start = 0;
      while (start < shorter && before.get(start).equals(after.get(start))) {
        start++;
      }
      int end = 0;
      while (end < shorter - start
          && before.get(before.size() - 1 - end).equals(after.get(after.size() - 1 - end))) {
        end++;
      }
      LineDiff changed =
          new LineDiff(
              before.subList(start, before.size() - end), after.subList(start, after.size() - end));
      changed.write();
      return List.copyOf(changed.diff);
    }

    private void write() {
      int i = 0;
      int j = 0;
      for (Snake snake : common()) {
        changed(i, snake.i, j, snake.j);
        i = snake.i + snake.length;
        j = snake.j + snake.length;
      }
      changed(i, before.size(), j, after.size());
    }

    private void changed(int i, int untilBefore, int j, int untilAfter) {
      before.subList(i, untilBefore).forEach(line -> diff.add("- " + line));
      after.subList(j, untilAfter).forEach(line -> diff.add("+ " + line));
    }

    /** Lines that stay: {@code length} of them, from line i of the old and j of the new text. */
    private record Snake(int i, int j, int length) {}

    /** What both texts have in common, in order; nothing if too much differs. */
    private Deque<Snake> common() {
      List<int[]> trace = new ArrayList<>();
      int longest = Math.min(MAX_SEARCHED, before.size() + after.size());
      // How far each diagonal (old line minus new line) is reached, after the empty column.
      int[] reached = new int[2 * longest + 3];
      int middle = longest + 1;
      for (int changes = 0; changes <= longest; changes++) {
        trace.add(Arrays.copyOfRange(reached, middle - changes - 1, middle + changes + 2));
        for (int diagonal = -changes; diagonal <= changes; diagonal += 2) {
          int i = next(reached, middle, diagonal, changes);
          int j = i - diagonal;
          while (i < before.size() && j < after.size() && before.get(i).equals(after.get(j))) {
            i++;
            j++;
          }
          reached[middle + diagonal] = i;
          if (i >= before.size() && j >= after.size()) {
            return backwards(trace);
          }
        }
      }
      return new ArrayDeque<>();
    }

    /** The old line after one more change: a line is added, or the next one is removed. */
    private static int next(int[] reached, int middle, int diagonal, int changes) {
      return isAddition(reached, middle, diagonal, changes)
          ? reached[middle + diagonal + 1]
          : reached[middle + diagonal - 1] + 1;
    }

    private static boolean isAddition(int[] reached, int middle, int diagonal, int changes) {
      return diagonal == -changes
          || (diagonal != changes
              && reached[middle + diagonal - 1] < reached[middle + diagonal + 1]);
    }

    private Deque<Snake> backwards(List<int[]> trace) {
      Deque<Snake> common = new ArrayDeque<>();
      int i = before.size();
      int diagonal = before.size() - after.size();
      for (int changes = trace.size() - 1; changes >= 0; changes--) {
        int[] reached = trace.get(changes);
        int middle = changes + 1;
        int start = changes == 0 ? 0 : next(reached, middle, diagonal, changes);
        if (i > start) {
          common.addFirst(new Snake(start, start - diagonal, i - start));
        }
        if (isAddition(reached, middle, diagonal, changes)) {
          diagonal++;
          i = start;
        } else {
          diagonal--;
          i = start - 1;
        }
      }
      return common;
    }
  }
}

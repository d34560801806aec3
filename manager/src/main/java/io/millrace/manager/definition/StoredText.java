package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.definition.DefinitionText.CanonicalForm;
import java.util.ArrayList;
import java.util.List;
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
    return CanonicalForm.yaml(row.kind(), Json.read(row.body(), JsonNode.class));
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
          .map(kind -> CanonicalForm.yaml(row.kind(), Json.read(row.body(), kind.type())));
    } catch (MillraceException e) {
      // The version violates a later rule.
      return Optional.empty();
    }
  }

  /** The difference between two texts by line, from their longest common subsequence. Pure. */
  static final class LineDiff {
    private LineDiff() {}

    /** The changed lines in order: removed ones with {@code "- "}, added ones with {@code "+ "}. */
    static List<String> between(List<String> before, List<String> after) {
      int[][] common = commonLengths(before, after);
      List<String> diff = new ArrayList<>();
      int i = 0;
      int j = 0;
      while (i < before.size() || j < after.size()) {
        if (i < before.size() && j < after.size() && before.get(i).equals(after.get(j))) {
          i++;
          j++;
        } else if (j == after.size()
            || (i < before.size() && common[i + 1][j] >= common[i][j + 1])) {
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
}

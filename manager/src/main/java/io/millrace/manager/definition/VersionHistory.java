package io.millrace.manager.definition;

import io.millrace.api.definition.DefinitionVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What each version changed. Pure. */
final class VersionHistory {
  private final StoredText stored;

  VersionHistory(StoredText stored) {
    this.stored = stored;
  }

  /**
   * Newest first.
   *
   * @param rows of one definition, oldest first
   */
  List<DefinitionVersion> of(List<DefinitionRow> rows) {
    List<DefinitionVersion> history = new ArrayList<>();
    Map<List<String>, Integer> seen = new HashMap<>();
    DefinitionRow before = null;
    for (DefinitionRow row : rows) {
      List<String> lines = stored.today(row);
      List<String> diff =
          before == null ? LineDiff.between(List.of(), lines) : stored.difference(before, row);
      Integer same = seen.put(lines, row.version());
      history.add(
          0, new DefinitionVersion(row.version(), row.author(), row.appliedAt(), same, diff));
      before = row;
    }
    return List.copyOf(history);
  }
}

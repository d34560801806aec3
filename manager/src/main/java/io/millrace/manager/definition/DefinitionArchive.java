package io.millrace.manager.definition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.DefinitionView;
import io.millrace.api.definition.DefinitionView.DefinitionVersion;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.definition.StoredText.LineDiff;
import io.millrace.platform.database.Database;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The stored versions of definitions. Thread-safe; every method blocks on the database, and throws
 * a MillraceException with UNKNOWN_DEFINITION if there is no such definition.
 */
public final class DefinitionArchive {
  private final Database database;
  private final DefinitionKinds kinds;
  private final StoredText stored;

  /** The versions of definitions of these kinds. */
  public DefinitionArchive(Database database, DefinitionKinds kinds) {
    this.database = database;
    this.kinds = kinds;
    this.stored = new StoredText(kinds);
  }

  /**
   * All versions of one definition, newest first.
   *
   * @param masked without the values of environment variables
   */
  public List<DefinitionVersion> history(String kind, String name, boolean masked) {
    List<DefinitionRow> rows = database.read(handle -> DefinitionDao.versions(handle, kind, name));
    if (rows.isEmpty()) {
      throw unknown(kind, name);
    }
    return new VersionHistory(stored)
        .of(masked ? rows.stream().map(DefinitionRow::masked).toList() : rows);
  }

  /** The complete version in force. */
  public DefinitionView inForce(String kind, String name, boolean masked) {
    DefinitionRow latest = latest(kind, name);
    return view(masked ? latest.masked() : latest, latest);
  }

  /** One complete version. */
  public DefinitionView version(String kind, String name, int version, boolean masked) {
    DefinitionRow row = row(kind, name, version);
    return view(masked ? row.masked() : row, latest(kind, name));
  }

  /** One version as stored. */
  DefinitionRow row(String kind, String name, int version) {
    return database
        .read(handle -> DefinitionDao.version(handle, kind, name, version))
        .orElseThrow(() -> unknown(latest(kind, name), version));
  }

  /** The version before the one in force. */
  DefinitionRow before(String kind, String name) {
    DefinitionRow latest = latest(kind, name);
    if (latest.version() == 1) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_DEFINITION,
          "%s %s has only one version, so there is none to roll back to".formatted(kind, name));
    }
    return row(kind, name, latest.version() - 1);
  }

  private DefinitionRow latest(String kind, String name) {
    return database
        .read(handle -> DefinitionDao.inForce(handle, kind, name))
        .orElseThrow(() -> unknown(kind, name));
  }

  private static DefinitionView view(DefinitionRow row, DefinitionRow latest) {
    return new DefinitionView(
        row.kind(),
        row.name(),
        row.version(),
        row.version() == latest.version(),
        row.author(),
        row.appliedAt(),
        StoredText.fields(row),
        String.join("\n", StoredText.written(row)) + "\n");
  }

  private MillraceException unknown(String kind, String name) {
    return new MillraceException(
        ErrorCode.UNKNOWN_DEFINITION,
        kinds.find(kind).isEmpty()
            ? "'%s' is not a kind; use %s".formatted(kind, String.join(" or ", kinds.keywords()))
            : "no %s '%s' is defined; 'millrace definition list' shows all definitions"
                .formatted(kind, name));
  }

  private static MillraceException unknown(DefinitionRow latest, int version) {
    String identity = latest.kind() + " " + latest.name();
    return new MillraceException(
        ErrorCode.UNKNOWN_DEFINITION,
        "%s has no version %d; use 1 to %d, 'millrace definition history %s' shows them"
            .formatted(identity, version, latest.version(), identity));
  }

  /** What each version changed. Pure. */
  private static final class VersionHistory {
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
}

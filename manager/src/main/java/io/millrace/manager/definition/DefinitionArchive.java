package io.millrace.manager.definition;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.definition.DefinitionView;
import io.millrace.api.definition.DefinitionView.DefinitionVersion;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import io.millrace.manager.definition.StoredText.LineDiff;
import io.millrace.platform.database.Database;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/**
 * The stored versions of definitions. Thread-safe; every method blocks on the database, and throws
 * a MillraceException with UNKNOWN_DEFINITION if there is no such definition.
 */
public final class DefinitionArchive {
  // Each keeps a few versions in memory and compares their lines.
  private static final int MAX_HISTORIES = 4;
  private static final int VERSIONS_READ = 4;
  private static final int MAX_CHARACTERS = 1 << 20;

  private final Database database;
  private final DefinitionKinds kinds;
  private final StoredText stored;
  private final Semaphore histories = new Semaphore(MAX_HISTORIES);

  /** The versions of definitions of these kinds. */
  public DefinitionArchive(Database database, DefinitionKinds kinds) {
    this.database = database;
    this.kinds = kinds;
    this.stored = new StoredText(kinds);
  }

  /**
   * All versions of one definition, newest first. Differences of older versions are counted only,
   * once the newer ones take a megabyte.
   *
   * @param masked without the values of environment variables
   * @throws MillraceException UNAVAILABLE if many other histories are being read
   */
  public List<DefinitionVersion> history(String kind, String name, boolean masked) {
    if (!histories.tryAcquire()) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "this server compares the versions of %d definitions at a time; try again in a moment"
              .formatted(MAX_HISTORIES));
    }
    try {
      VersionHistory history = new VersionHistory(stored);
      int version = 0;
      List<DefinitionRow> rows;
      do {
        int after = version;
        rows =
            database.read(
                handle -> DefinitionDao.versions(handle, kind, name, after, VERSIONS_READ));
        for (DefinitionRow row : rows) {
          history.add(masked ? row.masked() : row);
          version = row.version();
        }
      } while (rows.size() == VERSIONS_READ);
      if (version == 0) {
        throw unknown(kind, name);
      }
      return history.newestFirst();
    } finally {
      histories.release();
    }
  }

  /** The complete version in force. */
  public DefinitionView inForce(String kind, String name, boolean masked) {
    DefinitionRow latest = latest(kind, name);
    deletion(latest)
        .ifPresent(
            row -> {
              throw deleted(row);
            });
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

  /** The version before the one in force; of a deleted definition the one that was. */
  DefinitionRow before(String kind, String name) {
    DefinitionRow latest = latest(kind, name);
    if (deletion(latest).isPresent()) {
      return latest;
    }
    return database
        .read(handle -> DefinitionDao.before(handle, kind, name, latest.version()))
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.UNKNOWN_DEFINITION,
                    "%s %s has only one version, so there is none to roll back to"
                        .formatted(kind, name)));
  }

  /** The newest version, in force or deleted. */
  private DefinitionRow latest(String kind, String name) {
    return database
        .read(handle -> DefinitionDao.newest(handle, kind, name))
        .orElseThrow(() -> unknown(kind, name));
  }

  private Optional<DeletionRow> deletion(DefinitionRow latest) {
    return database
        .read(handle -> DeletionDao.latest(handle, latest.kind(), latest.name()))
        .filter(row -> row.done() && row.version() == latest.version());
  }

  private DefinitionView view(DefinitionRow row, DefinitionRow latest) {
    return new DefinitionView(
        row.kind(),
        row.name(),
        row.version(),
        row.version() == latest.version() && deletion(latest).isEmpty(),
        row.author(),
        row.appliedAt(),
        StoredText.fields(row),
        String.join("\n", StoredText.written(row)) + "\n");
  }

  private MillraceException unknown(String kind, String name) {
    return new MillraceException(
        ErrorCode.UNKNOWN_DEFINITION,
        kinds.find(kind).isEmpty()
            ? "'%s' is not a kind; use %s"
                .formatted(ShownText.of(kind), MessageText.choice(kinds.keywords()))
            : undefined(kind, name).getMessage());
  }

  /** No definition of that name. */
  static MillraceException undefined(String kind, String name) {
    return new MillraceException(
        ErrorCode.UNKNOWN_DEFINITION,
        "no %s '%s' is defined; 'millrace definition list' shows all definitions"
            .formatted(kind, ShownText.of(name)));
  }

  /** A definition that was deleted. */
  static MillraceException deleted(DeletionRow row) {
    return new MillraceException(
        ErrorCode.UNKNOWN_DEFINITION,
        "%1$s %2$s was deleted %3$s; 'millrace definition rollback %1$s %2$s' creates it again, 'millrace definition history %1$s %2$s' shows its versions"
            .formatted(row.kind(), row.name(), row.words()));
  }

  private static MillraceException unknown(DefinitionRow latest, int version) {
    String identity = latest.kind() + " " + latest.name();
    return new MillraceException(
        ErrorCode.UNKNOWN_DEFINITION,
        "%s has no version %d; use 1 to %d, 'millrace definition history %s' shows them"
            .formatted(identity, version, latest.version(), identity));
  }

  /** What each version changed; versions are added oldest first. One thread only. */
  private static final class VersionHistory {
    private final StoredText stored;
    private final List<DefinitionVersion> versions = new ArrayList<>();
    // By a digest of its lines.
    private final Map<UUID, Integer> seen = new HashMap<>();
    private DefinitionRow before;
    private int shortened;
    private long characters;

    VersionHistory(StoredText stored) {
      this.stored = stored;
    }

    void add(DefinitionRow row) {
      List<String> lines = stored.today(row);
      List<String> diff =
          before == null ? LineDiff.between(List.of(), lines) : stored.difference(before, row);
      byte[] text = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
      Integer same = seen.put(UUID.nameUUIDFromBytes(text), row.version());
      versions.add(new DefinitionVersion(row.version(), row.author(), row.appliedAt(), same, diff));
      before = row;
      characters += length(diff);
      while (characters > MAX_CHARACTERS) {
        DefinitionVersion oldest = versions.get(shortened);
        characters -= length(oldest.diff());
        versions.set(shortened++, counted(oldest));
      }
    }

    List<DefinitionVersion> newestFirst() {
      List<DefinitionVersion> history = new ArrayList<>(versions);
      Collections.reverse(history);
      return List.copyOf(history);
    }

    private static long length(List<String> lines) {
      return lines.stream().mapToLong(String::length).sum();
    }

    private static DefinitionVersion counted(DefinitionVersion version) {
      long removed = version.diff().stream().filter(line -> line.startsWith("- ")).count();
      String counts =
          "%d lines removed, %d added; too many to show with the newer versions"
              .formatted(removed, version.diff().size() - removed);
      return new DefinitionVersion(
          version.version(),
          version.author(),
          version.appliedAt(),
          version.sameAs(),
          List.of(counts));
    }
  }
}

package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.DefinitionView;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import io.millrace.manager.definition.StoredText.LineDiff;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/**
 * The definitions of every kind, in numbered versions with their authors. Thread-safe; every method
 * blocks on the database.
 */
public final class Definitions {
  private static final int TRIES = 5;

  private final Database database;
  private final DefinitionKinds kinds;
  private final StoredText stored;
  private final DefinitionArchive archive;
  private final DefinitionParser parser;
  private final Runnable changed;
  private final DefinitionEffect effect;
  private final DefinitionDeletions deletions;

  /** What a new version of a definition does besides being stored. */
  @FunctionalInterface
  public interface DefinitionEffect {
    /**
     * Carries it out in the transaction that stores the version; returns the job that was
     * submitted, if any.
     */
    Optional<Long> applied(Handle handle, DefinitionText definition, String author);
  }

  /** Definitions of these kinds that are only stored. */
  public Definitions(Database database, DefinitionKinds kinds, Runnable changed) {
    this(database, kinds, changed, (handle, definition, author) -> Optional.empty());
  }

  /** Definitions of these kinds, of which none can be deleted. */
  public Definitions(
      Database database, DefinitionKinds kinds, Runnable changed, DefinitionEffect effect) {
    this(database, kinds, new DefinitionDeletions(database, changed), changed, effect);
  }

  /**
   * Definitions of these kinds.
   *
   * @param deletions delete what files do not contain any more
   * @param changed called after a change is committed; a hint
   * @param effect what a new version does
   */
  public Definitions(
      Database database,
      DefinitionKinds kinds,
      DefinitionDeletions deletions,
      Runnable changed,
      DefinitionEffect effect) {
    this.database = database;
    this.deletions = deletions;
    this.kinds = kinds;
    this.stored = new StoredText(kinds);
    this.archive = new DefinitionArchive(database, kinds);
    this.parser = new DefinitionParser(kinds);
    this.changed = changed;
    this.effect = effect;
  }

  /**
   * Applies the definitions of the files, all of them or none. Unchanged definitions are not
   * touched, so applying is idempotent.
   *
   * @throws MillraceException INVALID_DEFINITION with every problem of all files; CONFLICT if a
   *     definition is being deleted or must not be changed so, or one that is not in the files any
   *     more has work; STALE_VERSION if an expected version is not in force
   */
  public ApplyAnswer apply(ApplyRequest request, String author) {
    List<DefinitionText> requested = parser.parse(request.files());
    List<ApplyChange> changes =
        apply(
            requested,
            request.dryRun(),
            author,
            handle -> request.expect().forEach(one -> VersionCheck.require(handle, one)),
            handle -> deletions.prune(handle, requested, request, author));
    return new ApplyAnswer(request.dryRun(), changes);
  }

  /**
   * Creates a new version with the content of an earlier one, as if it were applied again; none if
   * the version in force is the same.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_DEFINITION; INVALID_DEFINITION when the old
   *     content violates current rules; STALE_VERSION if the expected version is not in force
   */
  public ApplyChange rollBack(String kind, String name, RollbackRequest request, String author) {
    DefinitionRow row =
        request.version() == null
            ? archive.before(kind, name)
            : archive.row(kind, name, request.version());
    String source = "version " + row.version() + " of " + kind + " " + name;
    DefinitionText requested = parser.parse(kind, source, StoredText.fields(row));
    Consumer<Handle> check = handle -> VersionCheck.require(handle, kind, name, request.expect());
    return apply(List.of(requested), request.dryRun(), author, check, handle -> List.of()).get(0);
  }

  private List<ApplyChange> apply(
      List<DefinitionText> requested,
      boolean dryRun,
      String author,
      Consumer<Handle> before,
      Function<Handle, List<ApplyChange>> afterwards) {
    List<ApplyChange> changes = applied(requested, dryRun, author, before, afterwards);
    boolean any = changes.stream().anyMatch(one -> one.action() != ApplyAction.UNCHANGED);
    if (any && !dryRun) {
      changed.run();
    }
    return changes;
  }

  /** Every definition in force, by kind and name. */
  public List<AppliedDefinition> inForce() {
    return database.read(DefinitionDao::inForce).stream().map(Definitions::applied).toList();
  }

  /** The definition in force of that kind and name. */
  public Optional<AppliedDefinition> inForce(String kind, String name) {
    return database
        .read(handle -> DefinitionDao.inForce(handle, kind, name))
        .map(Definitions::applied);
  }

  /**
   * One complete version, in force or not.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_DEFINITION
   */
  public DefinitionView version(String kind, String name, int version) {
    return archive.version(kind, name, version, false);
  }

  /** If the same version is added concurrently, one writer is refused and compares again. */
  private List<ApplyChange> applied(
      List<DefinitionText> requested,
      boolean dryRun,
      String author,
      Consumer<Handle> before,
      Function<Handle, List<ApplyChange>> afterwards) {
    Instant now = database.now();
    for (int attempt = 1; ; attempt++) {
      try {
        return database.transaction(
            handle -> {
              before.accept(handle);
              List<ApplyChange> changes = new ArrayList<>();
              for (DefinitionText definition : requested) {
                changes.add(apply(handle, definition, dryRun, author, now));
              }
              changes.addAll(afterwards.apply(handle));
              return changes;
            });
      } catch (RuntimeException e) {
        if (attempt == TRIES || !DefinitionDao.isDuplicate(e)) {
          throw e;
        }
      }
    }
  }

  private ApplyChange apply(
      Handle handle, DefinitionText requested, boolean dryRun, String author, Instant now) {
    Optional<DefinitionRow> newest = newest(handle, requested, dryRun);
    Optional<DeletionRow> deletion =
        DeletionDao.latest(handle, requested.kind(), requested.name())
            .filter(row -> newest.isPresent() && row.version() == newest.get().version());
    deletion.filter(row -> !row.done()).ifPresent(Definitions::refuse);
    Optional<DefinitionRow> before = newest.filter(row -> deletion.isEmpty());
    // Defaults are no news: of a new definition what its file says is shown.
    List<String> diff =
        before
            .map(stored::today)
            .map(lines -> LineDiff.between(lines, requested.lines()))
            .orElseGet(() -> LineDiff.between(List.of(), requested.given()));
    int version = newest.map(DefinitionRow::version).orElse(0);
    if (diff.isEmpty()) {
      return change(requested, ApplyAction.UNCHANGED, version, diff, Optional.empty());
    }
    before.ifPresent(row -> requireAllowed(kinds.find(row.kind()).orElseThrow(), row, requested));
    Optional<Long> job = Optional.empty();
    int next = deletions.nextVersion(handle, requested.kind(), requested.name(), version);
    if (!dryRun) {
      DefinitionDao.add(
          handle,
          new DefinitionRow(
              requested.kind(), requested.name(), next, requested.json(), author, now));
      job = effect.applied(handle, requested, author);
    }
    ApplyAction action = before.isEmpty() ? ApplyAction.CREATED : ApplyAction.CHANGED;
    return change(requested, action, next, diff, job);
  }

  private static <T extends Record> void requireAllowed(
      DefinitionKind<T> kind, DefinitionRow before, DefinitionText requested) {
    T inForce;
    try {
      inForce = Json.read(before.body(), kind.type());
    } catch (MillraceException ofEarlierRules) {
      // It violates a later rule, and is to be replaced.
      return;
    }
    kind.refusal(inForce, requested.as(kind.type()))
        .ifPresent(
            why -> {
              throw new MillraceException(
                  ErrorCode.CONFLICT, requested.place() + ": nothing was changed: " + why);
            });
  }

  private static Optional<DefinitionRow> newest(
      Handle handle, DefinitionText requested, boolean dryRun) {
    return dryRun
        ? DefinitionDao.newest(handle, requested.kind(), requested.name())
        : DefinitionDao.lockNewest(handle, requested.kind(), requested.name());
  }

  private static void refuse(DeletionRow open) {
    throw new MillraceException(
        ErrorCode.CONFLICT,
        "%s %s is being deleted, requested %s: wait until it is deleted, then apply it again"
            .formatted(open.kind(), open.name(), open.words()));
  }

  private static ApplyChange change(
      DefinitionText requested,
      ApplyAction action,
      int version,
      List<String> diff,
      Optional<Long> job) {
    return new ApplyChange(
        requested.kind(), requested.name(), action, version, diff, job.orElse(null));
  }

  private static AppliedDefinition applied(DefinitionRow row) {
    return new AppliedDefinition(
        row.kind(),
        row.name(),
        row.version(),
        row.author(),
        row.appliedAt(),
        Json.read(row.body(), JsonNode.class));
  }

  /**
   * A definition in force.
   *
   * @param kind its kind's keyword
   * @param name its name
   * @param version from 1
   * @param author who applied this version
   * @param appliedAt by the database's clock
   * @param definition canonical
   */
  public record AppliedDefinition(
      String kind,
      String name,
      int version,
      String author,
      Instant appliedAt,
      JsonNode definition) {}
}

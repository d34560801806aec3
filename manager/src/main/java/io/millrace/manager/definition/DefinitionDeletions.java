package io.millrace.manager.definition;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DefinitionRemoval.RemovalPlan;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes definitions; their versions stay. A deletion is recorded at once and carried out step by
 * step by whichever central manager has the duty. Thread-safe; every method blocks on the database.
 */
public final class DefinitionDeletions {
  private static final Logger LOGGER = LoggerFactory.getLogger(DefinitionDeletions.class);
  private static final Duration USUAL = Duration.ofMinutes(1);
  private static final int MAX_TIDIED = 100;
  private static final int MAX_LISTED = 1_000;

  private final Database database;
  private final DatabaseTime time;
  private final Runnable changed;
  private final Map<String, DefinitionRemoval> removals = new ConcurrentSkipListMap<>();

  /**
   * Deletions of no kind yet.
   *
   * @param changed called after a deletion has begun or gone on; a hint
   */
  public DefinitionDeletions(Database database, Runnable changed) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.changed = changed;
  }

  /** Adds a kind. */
  public void add(DefinitionRemoval removal) {
    removals.put(removal.kind(), removal);
  }

  /**
   * Begins the deletion of a definition. If it is being deleted already, only a request to drop
   * what the other one drains changes that.
   *
   * @throws MillraceException UNKNOWN_DEFINITION; CONFLICT if it has work and the request does not
   *     say what becomes of that; STALE_VERSION if the expected version is not in force
   */
  public DeletionView delete(String kind, String name, DeletionRequest request, String actor) {
    PlannedDeletion planned =
        database.transaction(handle -> begin(handle, kind, name, request, actor));
    if (!request.dryRun()) {
      changed.run();
    }
    DeletionRow row = planned.row();
    boolean begun = !request.dryRun() || planned.goesOn();
    return row.view(
        begun && !row.done() ? waitsFor(row) : List.of(), begun ? List.of() : planned.work());
  }

  /** The version to add after the newest one: above those that servers refuse as deleted. */
  int nextVersion(Handle handle, String kind, String name, int newest) {
    DefinitionRemoval removal = removals.get(kind);
    return 1 + Math.max(newest, removal == null ? 0 : removal.lastRefused(handle, name));
  }

  /**
   * A deletion as asked for.
   *
   * @param goesOn whether one was in progress already
   * @param work what the definition has to do, human-readable
   */
  private record PlannedDeletion(DeletionRow row, boolean goesOn, List<String> work) {}

  /** The same in the caller's transaction; {@link #changed} is left to the caller. */
  private PlannedDeletion begin(
      Handle handle, String kind, String name, DeletionRequest request, String actor) {
    DefinitionRemoval removal = removal(kind);
    DefinitionRow newest =
        DefinitionDao.lockNewest(handle, kind, name)
            .orElseThrow(() -> DefinitionArchive.undefined(kind, name));
    Optional<DeletionRow> before =
        DeletionDao.latest(handle, kind, name).filter(row -> row.version() == newest.version());
    if (before.filter(DeletionRow::done).isPresent()) {
      throw DefinitionArchive.deleted(before.get());
    }
    VersionCheck.require(handle, kind, name, request.expect());
    if (before.isPresent() && !sharpens(request.mode(), before.get().mode())) {
      return new PlannedDeletion(before.get(), true, List.of());
    }
    RemovalPlan plan = removal.plan(handle, newest, request.mode(), before.orElse(null));
    Instant now = time.now(handle);
    DeletionRow row =
        new DeletionRow(
            kind,
            name,
            newest.version(),
            plan.mode(),
            plan.state(),
            actor,
            before.map(DeletionRow::saidAt).orElse(now),
            plan.state() == DeletionState.DELETED ? now : null,
            plan.dropped());
    if (!request.dryRun()) {
      if (before.isPresent()) {
        DeletionDao.update(handle, row);
      } else {
        DeletionDao.add(handle, row);
      }
      removal.begin(handle, row, now);
      LOGGER.info(
          "{} {} version {} is deleted by {}: {}, {}",
          kind,
          name,
          row.version(),
          actor,
          row.mode(),
          row.state());
    }
    return new PlannedDeletion(row, before.isPresent(), plan.work());
  }

  /**
   * Deletes the definitions that have the label and are not in the applied files, all or none, in
   * the transaction that applies these.
   *
   * @throws MillraceException CONFLICT that names each one that has work
   */
  List<ApplyChange> prune(
      Handle handle, List<DefinitionText> applied, ApplyRequest request, String actor) {
    if (request.prune() == null) {
      return List.of();
    }
    Set<String> kept =
        applied.stream().map(one -> one.kind() + " " + one.name()).collect(Collectors.toSet());
    List<ApplyChange> changes = new ArrayList<>();
    List<String> refusals = new ArrayList<>();
    for (DefinitionRow row : DefinitionDao.inForce(handle)) {
      if (!kept.contains(row.kind() + " " + row.name())
          && DefinitionLabels.match(StoredText.fields(row), request.prune())
          && !inProgress(handle, row)) {
        try {
          DeletionRequest deletion = new DeletionRequest(null, request.dryRun());
          begin(handle, row.kind(), row.name(), deletion, actor);
          changes.add(
              new ApplyChange(
                  row.kind(), row.name(), ApplyAction.DELETED, row.version(), List.of(), null));
        } catch (MillraceException e) {
          refusals.add(e.getMessage());
        }
      }
    }
    if (!refusals.isEmpty()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "nothing was changed, because definitions to be deleted have work; delete them with 'millrace delete' first:\n"
              + String.join("\n", refusals));
    }
    return changes;
  }

  private static boolean inProgress(Handle handle, DefinitionRow row) {
    return DeletionDao.latest(handle, row.kind(), row.name())
        .filter(deletion -> deletion.version() == row.version())
        .isPresent();
  }

  private static boolean sharpens(DeletionMode asked, DeletionMode before) {
    return before == DeletionMode.DRAIN && asked == DeletionMode.DISCARD;
  }

  private DefinitionRemoval removal(String kind) {
    DefinitionRemoval removal = removals.get(kind);
    if (removal == null) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_DEFINITION,
          "'%s' is not a kind; use %s"
              .formatted(ShownText.of(kind), MessageText.choice(removals.keySet())));
    }
    return removal;
  }

  /** Deleted definitions that were not created again, those deleted last first. */
  public List<DeletionView> deleted() {
    return database
        .read(
            handle ->
                removals.keySet().stream()
                    .flatMap(kind -> DeletionDao.inEffect(handle, kind, MAX_LISTED).stream())
                    .toList())
        .stream()
        .sorted(Comparator.comparing(DeletionRow::endedAt).reversed())
        .limit(MAX_LISTED)
        .map(row -> row.view(List.of(), List.of()))
        .toList();
  }

  /** The deletion of the version in force, with what it waits for; empty if there is none. */
  public Optional<DeletionView> inProgress(String kind, String name) {
    return database
        .read(handle -> DeletionDao.latest(handle, kind, name))
        .filter(row -> !row.done())
        .map(row -> row.view(waitsFor(row), List.of()));
  }

  private List<String> waitsFor(DeletionRow open) {
    return removal(open.kind()).waitsFor(open);
  }

  /** Goes on with every deletion that is not done; runs as a claimed duty. */
  public void advance() {
    for (DefinitionRemoval removal : removals.values()) {
      for (DeletionRow row : database.read(handle -> DeletionDao.open(handle, removal.kind()))) {
        advance(removal, row);
      }
      Instant late = database.now().minus(USUAL);
      database
          .read(handle -> DeletionDao.done(handle, removal.kind(), late, MAX_TIDIED))
          .forEach(row -> tidy(removal, row));
    }
  }

  /** A definition that cannot be tidied does not keep the others from it. */
  private void tidy(DefinitionRemoval removal, DeletionRow done) {
    try {
      database.transaction(
          handle -> {
            removal.tidy(handle, done);
            return null;
          });
    } catch (RuntimeException e) {
      LOGGER.warn(
          "what was added to {} {} after its deletion could not be removed; it is tried again",
          done.kind(),
          done.name(),
          e);
    }
  }

  /** A deletion that fails does not keep the others from it. */
  private void advance(DefinitionRemoval removal, DeletionRow row) {
    try {
      removal.advance(row);
      boolean over =
          database
              .read(handle -> DeletionDao.latest(handle, row.kind(), row.name()))
              .filter(now -> now.version() == row.version() && now.state() == row.state())
              .isEmpty();
      if (over) {
        changed.run();
      }
    } catch (RuntimeException e) {
      LOGGER.warn("the deletion of {} {} is tried again", row.kind(), row.name(), e);
    }
  }

  /** Deletions that take long, with what they wait for. */
  public List<Alert> problems() {
    Instant before = database.now().minus(USUAL);
    List<Alert> alerts = new ArrayList<>();
    for (DefinitionRemoval removal : removals.values()) {
      database.read(handle -> DeletionDao.open(handle, removal.kind())).stream()
          .filter(row -> row.saidAt().isBefore(before))
          .map(row -> waiting(row, removal.waitsFor(row)))
          .forEach(alerts::add);
    }
    return alerts;
  }

  private Alert waiting(DeletionRow row, List<String> waits) {
    Duration since = Duration.between(row.saidAt(), database.now());
    return new Alert(
        "DELETION_WAITS",
        row.name(),
        "%s %s has been in deletion for %s, requested by %s, and waits for: %s"
            .formatted(
                row.kind(),
                row.name(),
                Durations.format(Duration.ofSeconds(since.toSeconds())),
                row.saidBy(),
                waits.isEmpty() ? "its next check" : String.join("; ", waits)));
  }
}

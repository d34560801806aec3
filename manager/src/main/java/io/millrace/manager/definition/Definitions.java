package io.millrace.manager.definition;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.definition.ApplyAction;
import io.millrace.api.definition.ApplyAnswer;
import io.millrace.api.definition.ApplyChange;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.json.Json;
import io.millrace.manager.definition.store.DefinitionRow;
import io.millrace.manager.definition.store.DefinitionTable;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The definitions of every kind, in numbered versions with their authors. Thread-safe; every method
 * blocks on the database.
 */
public final class Definitions {
  private static final int TRIES = 5;

  private final Database database;
  private final DefinitionKinds kinds;
  private final DefinitionParser parser;
  private final Runnable changed;

  /**
   * Definitions of these kinds.
   *
   * @param changed called after a change is committed: a hint for those who wait for one
   */
  public Definitions(Database database, DefinitionKinds kinds, Runnable changed) {
    this.database = database;
    this.kinds = kinds;
    this.parser = new DefinitionParser(kinds);
    this.changed = changed;
  }

  /**
   * Makes the definitions be as the files say, all of them or none; what is so already stays
   * untouched, so that applying twice is the same as applying once.
   *
   * @throws io.millrace.api.problem.MillraceException INVALID_DEFINITION with every problem of all
   *     files
   */
  public ApplyAnswer apply(ApplyRequest request, String author) {
    List<DefinitionText> wanted = parser.parse(request.files());
    List<ApplyChange> changes = applied(wanted, request.dryRun(), author);
    boolean any = changes.stream().anyMatch(one -> one.action() != ApplyAction.UNCHANGED);
    if (any && !request.dryRun()) {
      changed.run();
    }
    return new ApplyAnswer(request.dryRun(), changes);
  }

  /** Every definition in force, by kind and name. */
  public List<AppliedDefinition> inForce() {
    return database.read(DefinitionTable::inForce).stream().map(Definitions::applied).toList();
  }

  /** The definition in force of that kind and name. */
  public Optional<AppliedDefinition> inForce(String kind, String name) {
    return database
        .read(handle -> DefinitionTable.inForce(handle, kind, name))
        .map(Definitions::applied);
  }

  /** Of two who add the same version one is refused; he compares again with what is there now. */
  private List<ApplyChange> applied(List<DefinitionText> wanted, boolean dryRun, String author) {
    Instant now = database.now();
    for (int attempt = 1; ; attempt++) {
      try {
        return database.transaction(
            handle -> {
              List<ApplyChange> changes = new ArrayList<>();
              for (DefinitionText definition : wanted) {
                changes.add(apply(handle, definition, dryRun, author, now));
              }
              return changes;
            });
      } catch (RuntimeException e) {
        if (attempt == TRIES || !DefinitionTable.isDuplicate(e)) {
          throw e;
        }
      }
    }
  }

  private ApplyChange apply(
      Handle handle, DefinitionText wanted, boolean dryRun, String author, Instant now) {
    Optional<DefinitionRow> before = DefinitionTable.inForce(handle, wanted.kind(), wanted.name());
    List<String> linesBefore = before.map(this::lines).orElse(List.of());
    List<String> diff = LineDiff.between(linesBefore, wanted.lines());
    int version = before.map(DefinitionRow::version).orElse(0);
    if (diff.isEmpty()) {
      return change(wanted, ApplyAction.UNCHANGED, version, diff);
    }
    if (!dryRun) {
      DefinitionTable.add(
          handle,
          new DefinitionRow(wanted.kind(), wanted.name(), version + 1, wanted.json(), author, now));
    }
    ApplyAction action = before.isEmpty() ? ApplyAction.CREATED : ApplyAction.CHANGED;
    return change(wanted, action, version + 1, diff);
  }

  /** Written out anew, so that a default which came with a newer Millrace is no change. */
  private List<String> lines(DefinitionRow row) {
    DefinitionKind<?> kind = kinds.find(row.kind()).orElseThrow();
    return CanonicalForm.yaml(row.kind(), Json.read(row.body(), kind.type()));
  }

  private static ApplyChange change(
      DefinitionText wanted, ApplyAction action, int version, List<String> diff) {
    return new ApplyChange(wanted.kind(), wanted.name(), action, version, diff);
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
}

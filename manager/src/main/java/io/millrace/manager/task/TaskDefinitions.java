package io.millrace.manager.task;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.DefinitionView;
import io.millrace.api.task.TaskDefinition;
import io.millrace.manager.definition.Definitions;
import io.millrace.manager.definition.Definitions.AppliedDefinition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The tasks in force, and their earlier versions. Thread-safe; blocks on the database. */
public final class TaskDefinitions {
  private static final int MOST_KEPT = 1000;

  private final Definitions definitions;
  // Versions never change, and each look at the runs asks for them.
  private final Map<Version, VersionedTask> versions = new ConcurrentHashMap<>();

  private record Version(String task, int number) {}

  public TaskDefinitions(Definitions definitions) {
    this.definitions = definitions;
  }

  /** Every task, by name. */
  public List<VersionedTask> all() {
    return definitions.inForce().stream()
        .filter(definition -> definition.kind().equals(TaskKind.WORD))
        .map(TaskDefinitions::versioned)
        .toList();
  }

  public Optional<VersionedTask> find(String task) {
    return definitions.inForce(TaskKind.WORD, task).map(TaskDefinitions::versioned);
  }

  /**
   * The task of that name.
   *
   * @throws MillraceException UNKNOWN_TASK
   */
  public VersionedTask require(String task) {
    return find(task)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.UNKNOWN_TASK,
                    "no task '"
                        + task
                        + "' is defined; 'millrace task list' shows those that are, 'millrace"
                        + " apply -f FILE' defines one"));
  }

  /** A version of a task, which a run keeps to its end. */
  public VersionedTask version(String task, int version) {
    Version key = new Version(task, version);
    VersionedTask known = versions.get(key);
    if (known == null) {
      known = load(task, version);
      if (versions.size() >= MOST_KEPT) {
        versions.clear();
      }
      versions.put(key, known);
    }
    return known;
  }

  private VersionedTask load(String task, int version) {
    DefinitionView view = definitions.version(TaskKind.WORD, task, version);
    return new VersionedTask(read(task, view.definition()), view.version(), view.appliedAt());
  }

  private static VersionedTask versioned(AppliedDefinition applied) {
    return new VersionedTask(
        read(applied.name(), applied.definition()), applied.version(), applied.appliedAt());
  }

  private static TaskDefinition read(String name, JsonNode definition) {
    try {
      return Json.mapper().treeToValue(definition, TaskDefinition.class);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the stored task " + name + " is unreadable", e);
    }
  }
}

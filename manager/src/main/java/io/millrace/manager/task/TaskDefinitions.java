package io.millrace.manager.task;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.definition.DefinitionView;
import io.millrace.api.job.JobKind;
import io.millrace.api.task.ScheduleDefinition.CatchUpRule;
import io.millrace.api.task.ScheduleDefinition.OverlapRule;
import io.millrace.api.task.TaskDefinition;
import io.millrace.api.workflow.GraphProblem;
import io.millrace.api.workflow.WorkflowDefinition;
import io.millrace.manager.definition.DefinitionKind;
import io.millrace.manager.definition.Definitions;
import io.millrace.manager.definition.Definitions.AppliedDefinition;
import io.millrace.manager.job.JobRules;
import io.millrace.manager.job.NotificationRules;
import io.millrace.manager.job.NotificationRules.WebhookRule;
import io.millrace.manager.schedule.SchedulePlan;
import io.millrace.manager.schedule.WindowTimes;
import io.millrace.manager.workflow.WorkflowRules;
import io.millrace.platform.clock.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The tasks in force, and their earlier versions. Thread-safe; blocks on the database. */
public final class TaskDefinitions {
  private static final int MAX_KEPT = 1000;

  private final Definitions definitions;
  // Versions never change, and every check of runs needs them.
  private final Map<Version, VersionedTask> versions = new ConcurrentHashMap<>();

  private record Version(String task, int number) {}

  public TaskDefinitions(Definitions definitions) {
    this.definitions = definitions;
  }

  /** Every task, by name. */
  public List<VersionedTask> all() {
    return definitions.inForce().stream()
        .filter(definition -> definition.kind().equals(TaskKind.KEYWORD))
        .map(TaskDefinitions::versioned)
        .toList();
  }

  public Optional<VersionedTask> find(String task) {
    return definitions.inForce(TaskKind.KEYWORD, task).map(TaskDefinitions::versioned);
  }

  /**
   * The task of that name.
   *
   * @throws MillraceException UNKNOWN_TASK
   */
  public VersionedTask require(String task) {
    return find(task).orElseThrow(() -> unknown(task));
  }

  public static MillraceException unknown(String task) {
    return new MillraceException(
        ErrorCode.UNKNOWN_TASK,
        "no task '%s' is defined; 'millrace task list' shows the tasks, 'millrace apply -f FILE' defines one"
            .formatted(ShownText.of(task)));
  }

  /** A version of a task; a run keeps its version until it ends. */
  public VersionedTask version(String task, int version) {
    Version key = new Version(task, version);
    VersionedTask known = versions.get(key);
    if (known == null) {
      known = load(task, version);
      if (versions.size() >= MAX_KEPT) {
        versions.clear();
      }
      versions.put(key, known);
    }
    return known;
  }

  private VersionedTask load(String task, int version) {
    DefinitionView view = definitions.version(TaskKind.KEYWORD, task, version);
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

  /**
   * A version of a task.
   *
   * @param definition as applied
   * @param version from 1
   * @param appliedAt by the database's clock
   */
  record VersionedTask(TaskDefinition definition, int version, Instant appliedAt) {
    public String name() {
      return definition.name();
    }

    /** Its planned times; empty without a schedule. */
    Optional<SchedulePlan> plan(Instant firstApplied) {
      return Optional.ofNullable(definition.schedule())
          .map(schedule -> SchedulePlan.of(name(), schedule, definition.window(), firstApplied));
    }

    /** Whether it has the same planned times as the other version. */
    boolean sameTimes(VersionedTask other) {
      return Objects.equals(definition.schedule(), other.definition.schedule())
          && Objects.equals(definition.window(), other.definition.window());
    }

    /** The time zone of its window and {@code endBy}. */
    ZoneId zone() {
      return definition.schedule() == null
          ? ZoneOffset.UTC
          : ZoneId.of(definition.schedule().zone());
    }

    /** Its window. */
    WindowTimes window() {
      return WindowTimes.of(definition.window(), zone());
    }

    /** Whether missed planned times are caught up. */
    boolean catchesUp() {
      return definition.schedule() != null && definition.schedule().catchUp() != CatchUpRule.NONE;
    }

    /** What happens to a run that is due while the previous one is in progress. */
    OverlapRule overlap() {
      return definition.schedule() == null ? OverlapRule.SKIP : definition.schedule().overlap();
    }
  }

  /** {@code kind: task}. */
  public static final class TaskKind implements DefinitionKind<TaskDefinition> {
    /** The keyword after {@code kind:}. */
    public static final String KEYWORD = "task";

    private static final String WORKFLOW = "workflow";

    private final Clock clock;
    private final WebhookRule webhooks;

    /**
     * Of tasks whose planned times are not all over.
     *
     * @param clock of this host; a difference of hours does no harm
     * @param webhooks those that are never called are refused
     */
    public TaskKind(Clock clock, WebhookRule webhooks) {
      this.clock = clock;
      this.webhooks = webhooks;
    }

    @Override
    public String keyword() {
      return KEYWORD;
    }

    @Override
    public Class<TaskDefinition> type() {
      return TaskDefinition.class;
    }

    @Override
    public String nameOf(TaskDefinition definition) {
      return definition.name();
    }

    /**
     * Refuses a task whose worker could never be submitted when it is applied, not when it is due.
     */
    @Override
    public List<String> problems(TaskDefinition task) {
      List<String> problems = new ArrayList<>(IneffectiveTaskKeys.problems(task));
      problems.addAll(task.workflow() == null ? ofJob(task) : ofWorkflow(task));
      boolean planned = task.schedule() != null && task.schedule().perpetual() == null;
      problems.addAll(
          NotificationRules.problems(
              task.notification(),
              planned ? NotificationRules.OF_TASKS : NotificationRules.OF_UNPLANNED_TASKS,
              webhooks));
      if (task.schedule() != null) {
        problems.addAll(SchedulePlan.problems(task.schedule(), task.window(), clock.now()));
      }
      return problems;
    }

    private List<String> ofJob(TaskDefinition task) {
      List<String> problems =
          new ArrayList<>(
              JobRules.problems(
                  JobKind.SUBMITTED, TaskSpecs.submitted(task, task.job().draft()).spec()));
      webhooks.problem(task.job().notification()).ifPresent(problems::add);
      return problems.stream().map(problem -> "job." + problem).toList();
    }

    private List<String> ofWorkflow(TaskDefinition task) {
      WorkflowDefinition workflow = task.workflow();
      if (workflow.name() == null) {
        workflow = workflow.changed(task.name(), value -> value, job -> job, job -> job);
      }
      List<String> problems = new ArrayList<>();
      for (GraphProblem problem : WorkflowRules.problems(workflow, webhooks)) {
        problems.add(WORKFLOW + (problem.path().isEmpty() ? ": " : ".") + problem);
      }
      PlannedWorkflow.problems(workflow).forEach(problem -> problems.add(WORKFLOW + "." + problem));
      return problems;
    }

    @Override
    public ObjectNode minimal() {
      ObjectNode task = JsonNodeFactory.instance.objectNode().put("name", "task");
      task.putObject("job").putArray("command").add("true");
      task.putObject("window").put("from", "00:00").put("to", "23:59");
      task.putObject("chunks").put("range", "1-1");
      ObjectNode job = JsonNodeFactory.instance.objectNode();
      job.putArray("command").add("true");
      task.putObject(WORKFLOW).putObject("templates").putObject("step").set("job", job);
      return task;
    }
  }
}

package io.millrace.manager.app;

import io.millrace.api.insight.Overview.Alert;
import io.millrace.manager.definition.DefinitionDeletions;
import io.millrace.manager.definition.Definitions;
import io.millrace.manager.http.TaskRoutes;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.partition.PoolMembers;
import io.millrace.manager.schedule.DueRule;
import io.millrace.manager.task.ChunkService;
import io.millrace.manager.task.RunLifecycle;
import io.millrace.manager.task.RunObserver;
import io.millrace.manager.task.RunReaper;
import io.millrace.manager.task.RunService;
import io.millrace.manager.task.RunService.ChunkOutput;
import io.millrace.manager.task.RunWatch;
import io.millrace.manager.task.RunWorkflows;
import io.millrace.manager.task.TaskAlarm;
import io.millrace.manager.task.TaskDefinitions;
import io.millrace.manager.task.TaskLaunching;
import io.millrace.manager.task.TaskProblems;
import io.millrace.manager.task.TaskRemoval;
import io.millrace.manager.task.TaskService;
import io.millrace.manager.task.TaskViews;
import io.millrace.manager.task.TaskWatcher;
import io.millrace.manager.task.WorkflowRuns;
import io.millrace.manager.workflow.WorkflowModule;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.claim.ClaimedDuty;
import io.millrace.platform.database.Database;
import io.millrace.platform.lifecycle.Service;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;

/** Composes the tasks of a central manager, which starts the services. */
public final class TaskModule {
  private static final Duration CLAIM = Duration.ofSeconds(5);
  private static final Duration POLLING = Duration.ofSeconds(1);
  private static final Duration WATCHING = Duration.ofSeconds(5);
  private static final Duration WATCHING_CLAIM = Duration.ofSeconds(30);
  private static final Duration FORGETTING = Duration.ofMinutes(1);
  private static final Duration FORGETTING_CLAIM = Duration.ofMinutes(5);

  /** A planned time that is handled later than this counts as missed; covers a change of claims. */
  private static final Duration TOLERANCE = Duration.ofSeconds(30);

  private final Database database;
  private final RunLifecycle lifecycle;
  private final TaskViews views;
  private final TaskService service;
  private final RunService runs;
  private final ChunkService chunks;
  private final TaskProblems problems;
  private final TaskLaunching launching;
  private final RunReaper reaper;
  private final TaskAlarm alarm = new TaskAlarm();
  private final ClaimedDuty duty;
  private final ClaimedDuty forgetting;
  private final ClaimedDuty watching;
  private final ClaimedDuty workflowRuns;

  /** What tasks share with the rest of the central manager. */
  public record Shared(
      Database database,
      Definitions definitions,
      JobLedger ledger,
      WakeUps wakeUps,
      ClaimDao claims,
      String claimant,
      RunObserver watch,
      WorkflowModule workflows) {}

  /**
   * Composes the tasks, which are not started yet.
   *
   * @param output output of jobs that print chunks
   * @param members members of partitioned tasks
   */
  public TaskModule(Shared shared, ChunkOutput output, PoolMembers members) {
    Database database = shared.database();
    TaskDefinitions definitions = new TaskDefinitions(shared.definitions());
    DueRule rule = new DueRule(TOLERANCE);
    this.database = database;
    RunWorkflows workflows = new RunWorkflows(shared.workflows().control());
    this.lifecycle =
        new RunLifecycle(database, definitions, shared.ledger(), rule, shared.watch(), workflows);
    this.launching = new TaskLaunching(database, definitions, lifecycle, rule);
    this.reaper = new RunReaper(database, definitions, lifecycle, shared.claims());
    this.views = new TaskViews(database, definitions);
    this.service = new TaskService(database, definitions, launching, lifecycle, views);
    this.runs = new RunService(database, definitions, shared.ledger(), lifecycle, output, members);
    this.chunks = new ChunkService(database, definitions, shared.ledger());
    this.problems = new TaskProblems(database, definitions);
    shared.ledger().watch(new TaskWatcher(shared.wakeUps()));
    this.duty =
        new ClaimedDuty(
            "launch-tasks", shared.claimant(), CLAIM, POLLING, shared.claims(), claim -> poll());
    this.forgetting =
        new ClaimedDuty(
            "delete-old-task-runs",
            shared.claimant(),
            FORGETTING_CLAIM,
            FORGETTING,
            shared.claims(),
            reaper::forget);
    this.workflowRuns =
        new ClaimedDuty(
            "submit-planned-workflows",
            shared.claimant(),
            CLAIM,
            POLLING,
            shared.claims(),
            new WorkflowRuns(
                database,
                shared.claims(),
                definitions,
                lifecycle,
                workflows,
                shared.workflows().binding()));
    RunWatch watch = new RunWatch(database, shared.claims(), definitions);
    this.watching =
        new ClaimedDuty(
            "watch-task-runs",
            shared.claimant(),
            WATCHING_CLAIM,
            WATCHING,
            shared.claims(),
            watch::run);
  }

  private void poll() {
    launching.launch().ifPresent(time -> alarm.set(time, this::wake));
    reaper.scan();
    // What was started may be a workflow.
    workflowRuns.wake();
  }

  /** Signals that definitions or runs changed. */
  public void wake() {
    duty.wake();
  }

  /** The services behind the routes of tasks. */
  public TaskRoutes.Services forRoutes(DefinitionDeletions deletions) {
    return new TaskRoutes.Services(views, service, runs, chunks, deletions, this::wake);
  }

  /**
   * Deletes tasks.
   *
   * @param denials forgets on which nodes these definitions of jobs were denied
   */
  TaskRemoval removal(BiConsumer<Handle, List<String>> denials) {
    return new TaskRemoval(database, lifecycle, denials);
  }

  /** Problems of tasks. */
  public List<Alert> problems() {
    return problems.all();
  }

  /** Number of tasks that were due and not launched. */
  public int lateTasks() {
    return problems.late();
  }

  /** The services, in the order in which they are to be started. */
  public List<Service> services() {
    return List.of(alarm, duty, workflowRuns, forgetting, watching);
  }
}

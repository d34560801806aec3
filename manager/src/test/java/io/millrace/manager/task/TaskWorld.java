package io.millrace.manager.task;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.task.RunCause;
import io.millrace.api.task.RunConduct;
import io.millrace.api.task.RunState;
import io.millrace.api.task.RunStep;
import io.millrace.api.task.TaskRunView;
import io.millrace.manager.app.CentralTables;
import io.millrace.manager.app.KnownKinds;
import io.millrace.manager.definition.DefinitionDeletions;
import io.millrace.manager.definition.Definitions;
import io.millrace.manager.job.JobArrays;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.metrics.TaskMeters;
import io.millrace.manager.partition.PoolMembers;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.manager.schedule.DueRule;
import io.millrace.manager.task.RunDao.NewRun;
import io.millrace.manager.workflow.StepElements;
import io.millrace.manager.workflow.WorkflowModule;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The classes of tasks over a real database in a folder, without threads and without nodes. */
final class TaskWorld implements AutoCloseable {
  private static final Duration TOLERANCE = Duration.ofSeconds(30);

  final Database database;
  final JobLedger ledger;
  final Definitions definitions;
  final TaskLaunching launching;
  final RunReaper reaper;
  final TaskService service;
  final TaskViews views;
  final RunService runs;
  final ChunkService chunks;
  final TaskProblems problems;
  final MeterRegistry meters = new SimpleMeterRegistry();
  final DefinitionDeletions deletions;
  final ClaimDao claims;
  final WorkflowModule workflows;
  final RunLifecycle lifecycle;

  /** Definitions of jobs whose denials were forgotten. */
  final List<String> forgotten = new ArrayList<>();

  /** What the command that prints chunks has printed. */
  final List<String> printed = new ArrayList<>();

  /** Thrown when the output of a listing job is read; null to read it. */
  MillraceException unreadable;

  /** What happens once while the output of a listing job is being read. */
  Runnable whileReading = () -> {};

  /** Who shares the resources of partitioned tasks. */
  final List<ExecutionNodeView> nodes = new ArrayList<>();

  private final JobQueries queries;

  TaskWorld(Path folder) {
    database = CentralTables.in(folder);
    WakeUps wakeUps = new WakeUps();
    ledger = new JobLedger(database, wakeUps, new ShapeDao(database.dialect(), new SystemClock()));
    queries = new JobQueries(database, wakeUps);
    definitions = new Definitions(database, KnownKinds.all(new SystemClock()), () -> {});
    TaskDefinitions tasks = new TaskDefinitions(definitions);
    DueRule rule = new DueRule(TOLERANCE);
    claims = new ClaimDao(database);
    StepElements elements = new StepElements();
    workflows =
        new WorkflowModule(
            database,
            claims,
            "test",
            ledger,
            new JobArrays(database, ledger, wakeUps, elements),
            elements,
            queries,
            wakeUps,
            Duration.ofDays(7));
    RunWorkflows runWorkflows = new RunWorkflows(workflows.control());
    lifecycle =
        new RunLifecycle(database, tasks, ledger, rule, new TaskMeters(meters), runWorkflows);
    launching = new TaskLaunching(database, tasks, lifecycle, rule);
    reaper = new RunReaper(database, tasks, lifecycle, claims);
    views = new TaskViews(database, tasks);
    service = new TaskService(database, tasks, launching, lifecycle, views);
    runs =
        new RunService(
            database,
            tasks,
            ledger,
            lifecycle,
            this::lines,
            new PoolMembers(() -> List.copyOf(nodes)));
    chunks = new ChunkService(database, tasks, ledger);
    problems = new TaskProblems(database, tasks);
    deletions = new DefinitionDeletions(database, () -> {});
    deletions.add(new TaskRemoval(database, lifecycle, (handle, names) -> forgotten.addAll(names)));
    ledger.watch(new TaskWatcher(wakeUps));
  }

  private List<String> lines(long job) {
    List<String> read = List.copyOf(printed);
    MillraceException failure = unreadable;
    Runnable meanwhile = whileReading;
    whileReading = () -> {};
    meanwhile.run();
    if (failure != null) {
      throw failure;
    }
    return read;
  }

  /** Another instance over the same database. */
  TaskLaunching anotherLaunching() {
    TaskDefinitions tasks = new TaskDefinitions(definitions);
    DueRule rule = new DueRule(TOLERANCE);
    return new TaskLaunching(
        database,
        tasks,
        new RunLifecycle(
            database, tasks, ledger, rule, RunObserver.NONE, new RunWorkflows(workflows.control())),
        rule);
  }

  /** What submits and follows planned workflows in another instance over the same database. */
  WorkflowRuns workflowRuns() {
    return new WorkflowRuns(
        database,
        claims,
        new TaskDefinitions(definitions),
        lifecycle,
        new RunWorkflows(workflows.control()),
        workflows.binding());
  }

  /** The same, which looks at so many runs in a row. */
  WorkflowRuns workflowRuns(int pageRuns) {
    return new WorkflowRuns(
        database,
        claims,
        new TaskDefinitions(definitions),
        lifecycle,
        new RunWorkflows(workflows.control()),
        workflows.binding(),
        pageRuns);
  }

  /** The claim under which planned workflows are submitted and followed. */
  Claim workflowRunsClaim() {
    return claims
        .acquireOrRenew("submit-planned-workflows", "test", Duration.ofMinutes(1))
        .orElseThrow();
  }

  void apply(String yaml) {
    definitions.apply(new ApplyRequest(List.of(new SourceFile("task.yaml", yaml)), false), "ann");
  }

  /** Makes its next planned time one so long ago, as after an outage. */
  void due(String task, Duration ago) {
    Instant planned = database.now().minus(ago);
    plan(task, planned);
  }

  void plan(String task, Instant planned) {
    database.transaction(
        handle ->
            handle
                .createUpdate(
                    "update task_schedule set next_at = :at, due_at = :at, last_planned = null,"
                        // An interval has no times before the midnight it counts from.
                        + " first_applied = :before where task = :task")
                .bind("at", planned)
                .bind("before", planned.minus(Duration.ofDays(1)))
                .bind("task", task)
                .execute());
  }

  /** A run of the schedule that waits; its number. */
  long queue(String task) {
    NewRun run =
        new NewRun(task, 1, RunCause.SCHEDULE, database.now(), RunState.QUEUED, null, null);
    return database.transaction(handle -> RunDao.insert(handle, run, database.now()).orElseThrow());
  }

  /** Makes the time of every chunk that a program has be over. */
  void endLeases() {
    database.transaction(
        handle ->
            handle.execute("update task_worker set lent_until = lent_at where state = 'LENT'"));
  }

  List<TaskRunView> history(String task) {
    return views.runs(task, null, 1000);
  }

  TaskRunView run(long id) {
    return views.details(id).run();
  }

  /** The current attempt of the run's task manager, as if a node had started it. */
  AttemptId manager(long run) {
    long job = run(run).manager();
    set(
        job,
        "state = 'RUNNING', attempt_number = greatest(attempt_number, 1), node_name = 'e1',"
            + " node_id = '00000000-0000-0000-0000-000000000001'");
    return new AttemptId(job, queries.view(job).attempt());
  }

  /** An attempt of a job, as if a node had started it. */
  AttemptId start(long job, int number) {
    set(
        job,
        "state = 'RUNNING', attempt_number = "
            + number
            + ", node_name = 'e1', node_id = '00000000-0000-0000-0000-000000000001'");
    return new AttemptId(job, number);
  }

  /** What a task manager does in one tick; its step. */
  RunStep tick(long run) {
    AttemptId attempt = manager(run);
    RunConduct view = runs.view(run);
    RunStep step = RunRule.next(attempt, view);
    runs.step(run, step);
    return step;
  }

  /** Jobs of the run that have not ended, without its manager, oldest first. */
  List<JobView> live(long run) {
    return database
        .<List<Long>, RuntimeException>read(handle -> TaskWorkerDao.live(handle, run))
        .stream()
        .map(queries::view)
        .filter(job -> !job.state().ended())
        .toList();
  }

  /** Lets a job end as a node would report it. */
  void end(long job, String state, String outcome, int seconds) {
    Instant now = database.now();
    set(
        job,
        "state = '"
            + state
            + "', outcome = '"
            + outcome
            + "', started_at = '"
            + sql(now.minusSeconds(seconds))
            + "', ended_at = '"
            + sql(now)
            + "'");
    database.transaction(
        handle ->
            handle
                .createUpdate("delete from job_ready where job_id = :id")
                .bind("id", job)
                .execute());
  }

  void succeed(JobView job) {
    end(job.id(), "SUCCEEDED", "SUCCEEDED", 10);
  }

  void fail(JobView job) {
    end(job.id(), "FAILED", "FAILED", 10);
  }

  /** Conducts a run to its end; every worker succeeds. */
  TaskRunView conduct(long run) {
    for (int i = 0; i < 1000 && run(run).state() == RunState.RUNNING; i++) {
      tick(run);
      live(run).forEach(this::succeed);
    }
    return run(run);
  }

  String spec(JobView job) {
    return database.read(
        handle ->
            handle
                .createQuery("select spec from job where id = :id")
                .bind("id", job.id())
                .mapTo(String.class)
                .one());
  }

  void set(long job, String assignments) {
    database.transaction(
        handle ->
            handle
                .createUpdate("update job set " + assignments + " where id = :id")
                .bind("id", job)
                .execute());
  }

  void startedBefore(long run, Duration ago) {
    Instant started = database.now().minus(ago);
    database.transaction(
        handle ->
            handle
                .createUpdate("update task_run set started_at = :at where id = :id")
                .bind("at", started)
                .bind("id", run)
                .execute());
  }

  private static String sql(Instant time) {
    return time.toString().replace('T', ' ').replace("Z", "");
  }

  @Override
  public void close() {
    database.close();
  }
}

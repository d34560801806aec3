package io.millrace.manager.http;

import static io.millrace.platform.openapi.RouteDescription.named;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.task.ChunkHandout;
import io.millrace.api.task.ChunkHandout.ChunkReport;
import io.millrace.api.task.ChunkHandout.ChunkReport.CounterValue;
import io.millrace.api.task.RunConduct;
import io.millrace.api.task.RunParameters;
import io.millrace.api.task.RunStep;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.SchedulePreview;
import io.millrace.api.task.TaskRunView;
import io.millrace.api.task.TaskRunView.TaskRunDetails;
import io.millrace.api.task.TaskView;
import io.millrace.api.task.TaskView.TaskPause;
import io.millrace.manager.definition.DefinitionDeletions;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.task.ChunkService;
import io.millrace.manager.task.RunService;
import io.millrace.manager.task.TaskDefinitions.TaskKind;
import io.millrace.manager.task.TaskService;
import io.millrace.manager.task.TaskViews;
import io.millrace.platform.http.BodyReader;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.openapi.RequestParameter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Tasks and their runs: viewing and managing them, and the requests of their task managers. */
public final class TaskRoutes {
  private static final Duration LONGEST_CONDUCT = Duration.ofSeconds(30);
  private static final Duration USUAL_LEASE = Duration.ofMinutes(10);
  private static final Duration LONGEST_LEASE = Duration.ofDays(1);
  private static final int USUAL = 50;
  private static final int MAX = 1_000;
  private static final int MAX_TIMES = 100;

  private static final RequestParameter<String> NAME =
      RequestParameter.pathText("name", "the task's name");
  private static final RequestParameter<Long> ID =
      RequestParameter.pathNumber("id", "the run's number", 1);
  private static final RequestParameter<Long> POSITION =
      RequestParameter.pathNumber("position", "the chunk's position in the list, from 0", 0);
  private static final RequestParameter<Long> TIMES =
      RequestParameter.number("count", "how many times", 5, 1, MAX_TIMES);
  private static final RequestParameter<Long> COUNT =
      RequestParameter.number("count", "how many numbers", 1, 1, MAX);
  private static final RequestParameter<Long> BEFORE =
      RequestParameter.optionalNumber(
          "before", "the number of the last run already read", 0, Long.MAX_VALUE);
  private static final RequestParameter<Long> LIMIT = CommonParameters.limit(USUAL, MAX);
  private static final RequestParameter<Duration> CONDUCT_TIMEOUT =
      RequestParameter.duration(
          "timeout", "how long to wait for the end of a worker", Duration.ZERO, LONGEST_CONDUCT);
  private static final RequestParameter<Duration> LEASE =
      RequestParameter.duration(
          "lease", "how long the chunk is leased", USUAL_LEASE, LONGEST_LEASE);
  private static final RequestParameter<Boolean> ONCE =
      RequestParameter.flag("once", "hands the chunk out permanently");
  private static final RequestParameter<AttemptId> ATTEMPT =
      RequestParameter.value(
              "attempt",
              "the attempt that manages the run",
              "an attempt such as 17.1",
              AttemptId::parse)
          .demanded();

  private final Runnable wake;
  private final TaskViews views;
  private final TaskService service;
  private final RunService runs;
  private final ChunkService chunks;
  private final DefinitionDeletions deletions;
  private final JobQueries jobs;
  private final LongPoll longPoll;
  private final AttemptProofs proofs;
  private final BodyReader reader = BodyReader.strict();

  /**
   * The services behind these routes.
   *
   * @param deletions of tasks, in progress
   * @param wake signals that definitions or runs have changed; a hint
   */
  public record Services(
      TaskViews views,
      TaskService service,
      RunService runs,
      ChunkService chunks,
      DefinitionDeletions deletions,
      Runnable wake) {}

  public TaskRoutes(Services tasks, JobQueries jobs, LongPoll longPoll, AttemptProofs proofs) {
    this.views = tasks.views();
    this.service = tasks.service();
    this.runs = tasks.runs();
    this.chunks = tasks.chunks();
    this.deletions = tasks.deletions();
    this.wake = tasks.wake();
    this.jobs = jobs;
    this.longPoll = longPoll;
    this.proofs = proofs;
  }

  public List<Route> routes() {
    List<Route> routes = new ArrayList<>(tasks());
    routes.addAll(runs());
    routes.addAll(programs());
    return List.copyOf(routes);
  }

  private List<Route> tasks() {
    Set<Role> operators = Role.operators();
    Set<Role> readers = Role.readers();
    return List.of(
        Route.get("/v1/tasks", readers, ctx -> MaskedAnswers.answer(ctx, views.all()))
            .described(
                named("listTasks", "Tasks with their schedule, next planned times and runs")
                    .answersListOf(TaskView.class)),
        Route.get("/v1/tasks/{name}", readers, ctx -> MaskedAnswers.answer(ctx, details(name(ctx))))
            .described(
                named("showTask", "One task")
                    .reads(NAME)
                    .answers(TaskView.class)
                    .refuses(ErrorCode.UNKNOWN_TASK)),
        Route.get("/v1/tasks/{name}/next", readers, this::next)
            .described(
                named("planTask", "The next planned times of a task, without jitter")
                    .reads(NAME, TIMES)
                    .answers(SchedulePreview.class)
                    .refuses(ErrorCode.UNKNOWN_TASK, ErrorCode.CONFLICT)),
        Route.get("/v1/tasks/{name}/runs", readers, this::history)
            .described(
                named("listTaskRuns", "The runs of a task, newest first")
                    .reads(NAME, BEFORE, LIMIT)
                    .answersListOf(TaskRunView.class)
                    .refuses(ErrorCode.UNKNOWN_TASK)),
        Route.post("/v1/tasks/{name}/run", operators, this::run)
            .described(
                named("runTask", "Runs a task now")
                    .reads(NAME)
                    .mayTake(RunParameters.class)
                    .answers(201, TaskRunView.class)
                    .refuses(ErrorCode.UNKNOWN_TASK, ErrorCode.CONFLICT)),
        Route.post("/v1/tasks/{name}/pause", operators, this::pause)
            .described(
                named("pauseTask", "Pauses a task; a run in progress continues")
                    .reads(NAME)
                    .mayTake(TaskPause.class)
                    .answers(TaskView.class)
                    .refuses(ErrorCode.UNKNOWN_TASK)),
        Route.post("/v1/tasks/{name}/resume", operators, this::resume)
            .described(
                named("resumeTask", "Resumes the schedule of a task")
                    .reads(NAME)
                    .answers(TaskView.class)
                    .refuses(ErrorCode.UNKNOWN_TASK)),
        Route.post("/v1/schedules/preview", readers, this::preview)
            .described(
                named("previewSchedule", "A schedule in words, with its next planned times")
                    .takes(ScheduleDefinition.class)
                    .answers(SchedulePreview.class)
                    .refuses(ErrorCode.INVALID_DEFINITION)));
  }

  private List<Route> runs() {
    Set<Role> operators = Role.operators();
    Set<Role> readers = Role.readers();
    return List.of(
        Route.get("/v1/task-runs/{id}", readers, this::details)
            .described(
                named("showTaskRun", "One run, with the chunks that failed")
                    .reads(ID)
                    .answers(TaskRunDetails.class)
                    .refuses(ErrorCode.UNKNOWN_RUN)),
        Route.get("/v1/task-runs/{id}/wait", readers, this::await)
            .described(
                named("awaitTaskRun", "Answers when the run ends, or after the timeout")
                    .reads(ID, CommonParameters.END_TIMEOUT)
                    .answers(TaskRunDetails.class)
                    .refuses(ErrorCode.UNKNOWN_RUN, ErrorCode.UNKNOWN_JOB)),
        Route.post("/v1/task-runs/{id}/stop", operators, this::stop)
            .described(
                named("stopTaskRun", "Stops a run and its workers")
                    .reads(ID)
                    .answers(TaskRunView.class)
                    .refuses(ErrorCode.UNKNOWN_RUN, ErrorCode.CONFLICT)),
        Route.post("/v1/task-runs/{id}/retry", operators, this::retry)
            .described(
                named("retryTaskRun", "Reruns what failed or was stopped in an ended run")
                    .reads(ID)
                    .answers(TaskRunView.class)
                    .refuses(ErrorCode.UNKNOWN_RUN, ErrorCode.CONFLICT)));
  }

  private TaskView details(String task) {
    TaskView view = views.view(task);
    return deletions.inProgress(TaskKind.KEYWORD, task).map(view::with).orElse(view);
  }

  /** What the programs of users, workers and task managers call. */
  private List<Route> programs() {
    Set<Role> programs = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.PRODUCER);
    Set<Role> workers = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.TASK_WORKER);
    return List.of(
        Route.post("/v1/tasks/{name}/counter/next", programs, this::count)
            .described(
                named("takeCounterNumbers", "Takes the next numbers of a task's shared counter")
                    .reads(NAME, COUNT)
                    .answers(CounterValue.class)
                    .refuses(ErrorCode.UNKNOWN_TASK, ErrorCode.CONFLICT)),
        Route.post("/v1/task-runs/{id}/chunks/next", workers, this::nextChunk)
            .described(
                named("takeChunk", "Leases the next chunk of a run")
                    .reads(ID, LEASE, ONCE)
                    .answers(ChunkHandout.class)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_RUN, ErrorCode.CONFLICT, ErrorCode.STALE_ATTEMPT)),
        Route.post("/v1/task-runs/{id}/chunks/{position}/done", workers, this::chunkDone)
            .described(
                named("reportChunkDone", "Reports a chunk as done")
                    .reads(ID, POSITION)
                    .takes(ChunkReport.class)
                    .answersEmpty(204)
                    .refuses(
                        ErrorCode.UNKNOWN_RUN,
                        ErrorCode.CONFLICT,
                        ErrorCode.STALE_ATTEMPT,
                        ErrorCode.STALE_RECEIPT)),
        Route.post("/v1/task-runs/{id}/chunks/{position}/failed", workers, this::chunkFailed)
            .described(
                named("reportChunkFailed", "Reports a chunk as failed")
                    .reads(ID, POSITION)
                    .takes(ChunkReport.class)
                    .answersEmpty(204)
                    .refuses(
                        ErrorCode.UNKNOWN_RUN,
                        ErrorCode.CONFLICT,
                        ErrorCode.STALE_ATTEMPT,
                        ErrorCode.STALE_RECEIPT)),
        Route.get(
                "/v1/task-runs/{id}/conduct",
                Set.of(Role.EXECUTION_NODE),
                proofs.only(TaskRoutes::conductor, Conductor::attempt, this::conduct))
            .described(
                named("readTaskRun", "The input of the manager of a run")
                    .reads(ID, ATTEMPT, CONDUCT_TIMEOUT, AttemptProofs.SECRET)
                    .answers(RunConduct.class)
                    .refuses(ErrorCode.UNKNOWN_RUN, ErrorCode.STALE_ATTEMPT)),
        Route.post(
                "/v1/task-runs/{id}/conduct",
                Set.of(Role.EXECUTION_NODE),
                proofs.only(ctx -> Requests.json(ctx, RunStep.class), RunStep::attempt, this::step))
            .described(
                named("conductTaskRun", "Executes a step of the manager of a run")
                    .reads(ID, AttemptProofs.SECRET)
                    .takes(RunStep.class)
                    .answersEmpty(204)
                    .refuses(ErrorCode.UNKNOWN_RUN, ErrorCode.STALE_ATTEMPT, ErrorCode.CONFLICT)));
  }

  private void next(Context ctx) {
    int count = (int) (long) Requests.value(ctx, TIMES);
    Requests.answer(ctx, views.next(name(ctx), count));
  }

  private void history(Context ctx) {
    Long before = Requests.value(ctx, BEFORE);
    int limit = (int) (long) Requests.value(ctx, LIMIT);
    MaskedAnswers.answer(
        ctx, views.runs(name(ctx), before == null || before == 0 ? null : before, limit));
  }

  private void run(Context ctx) {
    RunParameters parameters =
        Requests.body(ctx).length == 0 ? RunParameters.NONE : reader.one(ctx, RunParameters.class);
    Requests.answer(ctx.status(201), service.run(name(ctx), parameters, actor(ctx)));
    wake.run();
  }

  private void pause(Context ctx) {
    TaskPause request =
        Requests.body(ctx).length == 0
            ? new TaskPause(null, null)
            : reader.one(ctx, TaskPause.class);
    service.pause(name(ctx), request, actor(ctx));
    Requests.answer(ctx, views.view(name(ctx)));
  }

  private void resume(Context ctx) {
    service.resume(name(ctx));
    wake.run();
    Requests.answer(ctx, views.view(name(ctx)));
  }

  private void count(Context ctx) {
    int count = (int) (long) Requests.value(ctx, COUNT);
    Requests.answer(ctx, service.count(name(ctx), count));
  }

  private void details(Context ctx) {
    MaskedAnswers.answer(ctx, views.details(id(ctx)));
  }

  private void await(Context ctx) {
    long id = id(ctx);
    Duration timeout = Requests.value(ctx, CommonParameters.END_TIMEOUT);
    long manager = runs.managerOf(id);
    ctx.future(
        () ->
            longPoll
                .until(
                    () -> jobs.change(manager),
                    () -> views.details(id),
                    details -> details.run().state().ended(),
                    timeout)
                .thenAccept(details -> MaskedAnswers.answer(ctx, details)));
  }

  private void stop(Context ctx) {
    Requests.answer(ctx, service.stop(id(ctx), actor(ctx)));
    wake.run();
  }

  private void retry(Context ctx) {
    Requests.answer(ctx, service.retry(id(ctx)));
    wake.run();
  }

  private void nextChunk(Context ctx) {
    long id = id(ctx);
    Optional<AttemptId> worker = worker(ctx, id);
    Optional<ChunkHandout> next =
        Requests.value(ctx, ONCE)
            ? chunks.assign(id, worker)
            : chunks.lease(id, worker, Requests.value(ctx, LEASE));
    next.ifPresentOrElse(chunk -> Requests.answer(ctx, chunk), () -> ctx.status(204));
  }

  private void chunkDone(Context ctx) {
    long id = id(ctx);
    Optional<AttemptId> worker = worker(ctx, id);
    chunks.done(id, worker, position(ctx), reader.one(ctx, ChunkReport.class));
    ctx.status(204);
  }

  private void chunkFailed(Context ctx) {
    long id = id(ctx);
    Optional<AttemptId> worker = worker(ctx, id);
    chunks.failed(id, worker, position(ctx), reader.one(ctx, ChunkReport.class));
    ctx.status(204);
  }

  /** The attempt that asks; empty for a person. An attempt asks for its own run only. */
  private static Optional<AttemptId> worker(Context ctx, long run) {
    Principal caller = Requests.principal(ctx);
    if (caller.role() != Role.TASK_WORKER) {
      return Optional.empty();
    }
    if (caller.attempt().isEmpty() || caller.run().filter(own -> own == run).isEmpty()) {
      throw new MillraceException(
          ErrorCode.FORBIDDEN,
          "the token of %s is not for run %d; a worker takes chunks only of the run that it works for"
              .formatted(caller.subject(), run));
    }
    return caller.attempt();
  }

  private static long position(Context ctx) {
    return Requests.value(ctx, POSITION);
  }

  /** The attempt that asks what to do next in a run. */
  private record Conductor(long run, AttemptId attempt) {}

  private void conduct(Context ctx, Conductor conductor) {
    long id = conductor.run();
    Duration timeout = Requests.value(ctx, CONDUCT_TIMEOUT);
    long manager = runs.managerOf(id);
    if (conductor.attempt().job() != manager || !jobs.isCurrent(conductor.attempt())) {
      throw new MillraceException(
          ErrorCode.STALE_ATTEMPT,
          "attempt %s does not manage run %d; stop it".formatted(conductor.attempt(), id));
    }
    ctx.future(
        () ->
            longPoll
                .until(
                    () -> jobs.change(manager),
                    () -> runs.view(id),
                    view -> view.unsettled() > 0,
                    timeout)
                .thenAccept(view -> Requests.answer(ctx, view)));
  }

  private static Conductor conductor(Context ctx) {
    return new Conductor(id(ctx), Requests.value(ctx, ATTEMPT));
  }

  private void step(Context ctx, RunStep step) {
    runs.step(id(ctx), step);
    ctx.status(204);
  }

  private void preview(Context ctx) {
    Requests.answer(ctx, views.preview(reader.one(ctx, ScheduleDefinition.class)));
  }

  private static String name(Context ctx) {
    return Requests.value(ctx, NAME);
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }

  private static long id(Context ctx) {
    return Requests.value(ctx, ID);
  }
}

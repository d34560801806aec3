package io.millrace.manager.http;

import io.javalin.http.Context;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.task.ChunkHandout;
import io.millrace.api.task.ChunkHandout.ChunkReport;
import io.millrace.api.task.RunStep;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.TaskView.TaskPause;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.task.ChunkService;
import io.millrace.manager.task.RunService;
import io.millrace.manager.task.TaskService;
import io.millrace.manager.task.TaskViews;
import io.millrace.platform.http.BodyReader;
import io.millrace.platform.http.Requests;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Tasks and their runs: viewing and managing them, and the requests of their task managers. */
public final class TaskRoutes {
  private static final Duration USUAL_WAIT = Duration.ofSeconds(30);
  private static final Duration LONGEST_WAIT = Duration.ofHours(1);
  private static final Duration LONGEST_CONDUCT = Duration.ofSeconds(30);
  private static final Duration USUAL_LEASE = Duration.ofMinutes(10);
  private static final Duration LONGEST_LEASE = Duration.ofDays(1);
  private static final int USUAL = 50;
  private static final int MAX = 1_000;
  private static final int MAX_TIMES = 100;

  private final Runnable wake;
  private final TaskViews views;
  private final TaskService service;
  private final RunService runs;
  private final ChunkService chunks;
  private final JobQueries jobs;
  private final LongPoll longPoll;
  private final AttemptProofs proofs;
  private final BodyReader reader = BodyReader.strict();

  /**
   * The services behind these routes.
   *
   * @param wake signals that definitions or runs have changed; a hint
   */
  public record Services(
      TaskViews views, TaskService service, RunService runs, ChunkService chunks, Runnable wake) {}

  public TaskRoutes(Services tasks, JobQueries jobs, LongPoll longPoll, AttemptProofs proofs) {
    this.views = tasks.views();
    this.service = tasks.service();
    this.runs = tasks.runs();
    this.chunks = tasks.chunks();
    this.wake = tasks.wake();
    this.jobs = jobs;
    this.longPoll = longPoll;
    this.proofs = proofs;
  }

  public List<Route> routes() {
    Set<Role> operators = Role.operators();
    Set<Role> readers = Role.readers();
    Set<Role> programs = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.PRODUCER);
    Set<Role> workers = EnumSet.of(Role.ADMIN, Role.OPERATOR, Role.TASK_WORKER);
    return List.of(
        Route.get("/v1/tasks", readers, ctx -> MaskedAnswers.answer(ctx, views.all())),
        Route.get(
            "/v1/tasks/{name}", readers, ctx -> MaskedAnswers.answer(ctx, views.view(name(ctx)))),
        Route.get("/v1/tasks/{name}/next", readers, this::next),
        Route.get("/v1/tasks/{name}/runs", readers, this::history),
        Route.post("/v1/tasks/{name}/run", operators, this::run),
        Route.post("/v1/tasks/{name}/pause", operators, this::pause),
        Route.post("/v1/tasks/{name}/resume", operators, this::resume),
        Route.post("/v1/tasks/{name}/counter/next", programs, this::count),
        Route.get("/v1/task-runs/{id}", readers, this::details),
        Route.get("/v1/task-runs/{id}/wait", readers, this::await),
        Route.post("/v1/task-runs/{id}/stop", operators, this::stop),
        Route.post("/v1/task-runs/{id}/retry", operators, this::retry),
        Route.post("/v1/task-runs/{id}/chunks/next", workers, this::nextChunk),
        Route.post("/v1/task-runs/{id}/chunks/{position}/done", workers, this::chunkDone),
        Route.post("/v1/task-runs/{id}/chunks/{position}/failed", workers, this::chunkFailed),
        Route.get(
            "/v1/task-runs/{id}/conduct",
            Set.of(Role.EXECUTION_NODE),
            proofs.only(TaskRoutes::conductor, Conductor::attempt, this::conduct)),
        Route.post(
            "/v1/task-runs/{id}/conduct",
            Set.of(Role.EXECUTION_NODE),
            proofs.only(ctx -> Requests.json(ctx, RunStep.class), RunStep::attempt, this::step)),
        Route.post("/v1/schedules/preview", readers, this::preview));
  }

  private void next(Context ctx) {
    int count = (int) Requests.number(ctx, "count", 5, 1, MAX_TIMES);
    Requests.answer(ctx, views.next(name(ctx), count));
  }

  private void history(Context ctx) {
    long before = Requests.number(ctx, "before", 0, 0, Long.MAX_VALUE);
    int limit = (int) Requests.number(ctx, "limit", USUAL, 1, MAX);
    Requests.answer(ctx, views.runs(name(ctx), before == 0 ? null : before, limit));
  }

  private void run(Context ctx) {
    Requests.answer(ctx.status(201), service.run(name(ctx), actor(ctx)));
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
    int count = (int) Requests.number(ctx, "count", 1, 1, MAX);
    Requests.answer(ctx, service.count(name(ctx), count));
  }

  private void details(Context ctx) {
    Requests.answer(ctx, views.details(id(ctx)));
  }

  private void await(Context ctx) {
    long id = id(ctx);
    Duration timeout = Requests.duration(ctx, "timeout", USUAL_WAIT, LONGEST_WAIT);
    long manager = runs.managerOf(id);
    ctx.future(
        () ->
            longPoll
                .until(
                    () -> jobs.change(manager),
                    () -> views.details(id),
                    details -> details.run().state().ended(),
                    timeout)
                .thenAccept(details -> Requests.answer(ctx, details)));
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
        Requests.flag(ctx, "once")
            ? chunks.assign(id, worker)
            : chunks.lease(id, worker, Requests.duration(ctx, "lease", USUAL_LEASE, LONGEST_LEASE));
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
    return Requests.pathIndex(ctx, "position");
  }

  /** The attempt that asks what to do next in a run. */
  private record Conductor(long run, AttemptId attempt) {}

  private void conduct(Context ctx, Conductor conductor) {
    long id = conductor.run();
    Duration timeout = Requests.duration(ctx, "timeout", Duration.ZERO, LONGEST_CONDUCT);
    long manager = runs.managerOf(id);
    if (conductor.attempt().job() != manager) {
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
    long run = id(ctx);
    String attempt = ctx.queryParam("attempt");
    try {
      return new Conductor(run, AttemptId.parse(attempt == null ? "" : attempt));
    } catch (IllegalArgumentException e) {
      throw new MillraceException(ErrorCode.INVALID_REQUEST, "attempt: " + e.getMessage(), e);
    }
  }

  private void step(Context ctx, RunStep step) {
    runs.step(id(ctx), step);
    ctx.status(204);
  }

  private void preview(Context ctx) {
    Requests.answer(ctx, views.preview(reader.one(ctx, ScheduleDefinition.class)));
  }

  private static String name(Context ctx) {
    return ctx.pathParam("name");
  }

  private static String actor(Context ctx) {
    return Requests.principal(ctx).subject();
  }

  private static long id(Context ctx) {
    return Requests.pathNumber(ctx, "id");
  }
}

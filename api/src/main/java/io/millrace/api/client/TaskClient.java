package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.Durations;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
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
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The central managers' API of tasks, typed. Every method blocks, and throws a {@link
 * io.millrace.api.MillraceException} with the server's problem or UNREACHABLE. Thread-safe.
 */
public final class TaskClient {
  private static final Duration MARGIN = Duration.ofSeconds(15);

  private final ApiClient api;

  public TaskClient(ApiClient api) {
    this.api = api;
  }

  /** Every task, by name. */
  public List<TaskView> list() {
    return List.of(api.get("/v1/tasks").as(TaskView[].class));
  }

  public TaskView show(String task) {
    return api.get(path("/v1/tasks/%s", task)).as(TaskView.class);
  }

  /** The description of a task's schedule with its next times. */
  public SchedulePreview next(String task, int count) {
    return api.get(path("/v1/tasks/%s/next?count=%s", task, count)).as(SchedulePreview.class);
  }

  /**
   * The runs of a task, newest first.
   *
   * @param before number of the last run of the page before; null for the newest
   */
  public List<TaskRunView> runs(String task, Long before, int limit) {
    String uri = path("/v1/tasks/%s/runs?limit=%s", task, limit);
    uri += before == null ? "" : path("&before=%s", before);
    return List.of(api.get(uri).as(TaskRunView[].class));
  }

  /**
   * Runs a task now; CONFLICT if it is paused, or if it is running and its overlap rule is skip.
   */
  public TaskRunView run(String task) {
    return run(task, RunParameters.NONE);
  }

  /** The same with parameters; INVALID_REQUEST if the definition does not admit them. */
  public TaskRunView run(String task, RunParameters parameters) {
    return api.post(path("/v1/tasks/%s/run", task), parameters.none() ? null : parameters)
        .as(TaskRunView.class);
  }

  public TaskView pause(String task, TaskPause request) {
    return api.post(path("/v1/tasks/%s/pause", task), request).as(TaskView.class);
  }

  public TaskView resume(String task) {
    return api.post(path("/v1/tasks/%s/resume", task), null).as(TaskView.class);
  }

  public TaskRunDetails details(long run) {
    return api.get(path("/v1/task-runs/%s", run)).as(TaskRunDetails.class);
  }

  /** Waits for the run to end, up to the given time; it may still be running in the answer. */
  public TaskRunDetails await(long run, Duration limit) {
    String uri = path("/v1/task-runs/%s/wait", run);
    return new WaitPieces(api)
        .until(uri, TaskRunDetails.class, details -> details.run().state().ended(), limit);
  }

  public TaskRunView stop(long run) {
    return api.post(path("/v1/task-runs/%s/stop", run), null).as(TaskRunView.class);
  }

  /** Reruns whatever failed or was stopped in a run that has ended. */
  public TaskRunView retry(long run) {
    return api.post(path("/v1/task-runs/%s/retry", run), null).as(TaskRunView.class);
  }

  /** The next chunk of a run, leased for the given time; empty if none is left. */
  public Optional<ChunkHandout> nextChunk(long run, Duration lease) {
    HttpAnswer answer =
        api.post(path("/v1/task-runs/%s/chunks/next?lease=%s", run, Durations.format(lease)), null);
    return answer.status() == 204 ? Optional.empty() : Optional.of(answer.as(ChunkHandout.class));
  }

  /** Reports a leased chunk as done; STALE_RECEIPT if it has been handed out to another worker. */
  public void chunkDone(long run, ChunkHandout chunk) {
    report(run, chunk, "done", null);
  }

  /** Reports a chunk as failed; it is handed out again as often as the task's retries allow. */
  public void chunkFailed(long run, ChunkHandout chunk, String reason) {
    report(run, chunk, "failed", reason);
  }

  private void report(long run, ChunkHandout chunk, String outcome, String reason) {
    String uri = path("/v1/task-runs/%s/chunks/%s/%s", run, chunk.position(), outcome);
    api.post(uri, new ChunkReport(chunk.token(), reason));
  }

  /** Takes numbers from the task's shared counter. */
  public CounterValue count(String task, int count) {
    return api.post(path("/v1/tasks/%s/counter/next?count=%s", task, count), null)
        .as(CounterValue.class);
  }

  /** The description of a schedule, with its next five times. */
  public SchedulePreview preview(ScheduleDefinition schedule) {
    return api.post("/v1/schedules/preview", schedule).as(SchedulePreview.class);
  }

  // --- called by task managers

  /**
   * What the next step needs to know; waits up to the given time for news. STALE_ATTEMPT if another
   * job manages the run.
   *
   * @param attempt that manages the run
   * @param secret of the attempt
   */
  public RunConduct conduct(long run, AttemptId attempt, String secret, Duration timeout) {
    String uri =
        path(
            "/v1/task-runs/%s/conduct?attempt=%s&timeout=%s",
            run, attempt, Durations.format(timeout));
    HttpCall call = HttpCall.get(URI.create(uri)).within(timeout.plus(MARGIN));
    return proven(call, secret).as(RunConduct.class);
  }

  /**
   * Carries out a step; STALE_ATTEMPT if another attempt manages the run or the attempt has ended.
   *
   * @param secret of the step's attempt
   */
  public void step(long run, RunStep step, String secret) {
    URI uri = URI.create(path("/v1/task-runs/%s/conduct", run));
    proven(HttpCall.post(uri, step), secret);
  }

  private HttpAnswer proven(HttpCall call, String secret) {
    return api.send(call.with(RunStep.SECRET_HEADER, secret));
  }
}

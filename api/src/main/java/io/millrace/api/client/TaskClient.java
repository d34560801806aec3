package io.millrace.api.client;

import static io.millrace.api.client.ApiClient.path;

import io.millrace.api.Durations;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.task.ChunkHandout;
import io.millrace.api.task.ChunkReport;
import io.millrace.api.task.ChunkReport.CounterValue;
import io.millrace.api.task.RunConduct;
import io.millrace.api.task.RunStep;
import io.millrace.api.task.ScheduleDefinition;
import io.millrace.api.task.SchedulePreview;
import io.millrace.api.task.TaskRunDetails;
import io.millrace.api.task.TaskRunView;
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

  /** What its schedule means, with so many of the next times. */
  public SchedulePreview next(String task, int count) {
    return api.get(path("/v1/tasks/%s/next?count=%s", task, count)).as(SchedulePreview.class);
  }

  /**
   * Its runs, newest first.
   *
   * @param before number of the last run of the page before; null for the newest
   */
  public List<TaskRunView> runs(String task, Long before, int limit) {
    String uri = path("/v1/tasks/%s/runs?limit=%s", task, limit);
    uri += before == null ? "" : path("&before=%s", before);
    return List.of(api.get(uri).as(TaskRunView[].class));
  }

  /** Runs it now; CONFLICT when it is paused, or when it runs and its overlap rule is skip. */
  public TaskRunView run(String task) {
    return api.post(path("/v1/tasks/%s/run", task), null).as(TaskRunView.class);
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

  /** Waits for the run's end, at most so long; it may still last in the answer. */
  public TaskRunDetails await(long run, Duration limit) {
    String uri = path("/v1/task-runs/%s/wait?timeout=%s", run, Durations.format(limit));
    HttpCall call = HttpCall.get(URI.create(uri)).within(limit.plus(MARGIN));
    return api.send(call).as(TaskRunDetails.class);
  }

  public TaskRunView stop(long run) {
    return api.post(path("/v1/task-runs/%s/stop", run), null).as(TaskRunView.class);
  }

  /** Does again what failed or was stopped in a run that ended. */
  public TaskRunView retry(long run) {
    return api.post(path("/v1/task-runs/%s/retry", run), null).as(TaskRunView.class);
  }

  /** The next chunk of a run, leased for so long; empty when none is left. */
  public Optional<ChunkHandout> nextChunk(long run, Duration lease) {
    return handout(path("/v1/task-runs/%s/chunks/next?lease=%s", run, Durations.format(lease)));
  }

  /** The same for good: what becomes of it is the caller's own affair. */
  public Optional<ChunkHandout> nextChunkOnce(long run) {
    return handout(path("/v1/task-runs/%s/chunks/next?once=true", run));
  }

  private Optional<ChunkHandout> handout(String uri) {
    HttpAnswer answer = api.post(uri, null);
    return answer.status() == 204 ? Optional.empty() : Optional.of(answer.as(ChunkHandout.class));
  }

  /** A chunk that was handed out is done; STALE_RECEIPT when somebody else has it by now. */
  public void chunkDone(long run, ChunkHandout chunk) {
    report(run, chunk, "done", null);
  }

  /** It could not be done and is given out again, so often as the task's retries say. */
  public void chunkFailed(long run, ChunkHandout chunk, String reason) {
    report(run, chunk, "failed", reason);
  }

  private void report(long run, ChunkHandout chunk, String word, String reason) {
    String uri = path("/v1/task-runs/%s/chunks/%s/%s", run, chunk.position(), word);
    api.post(uri, new ChunkReport(chunk.token(), reason));
  }

  /** Takes numbers of the task's shared counter. */
  public CounterValue count(String task, int count) {
    return api.post(path("/v1/tasks/%s/counter/next?count=%s", task, count), null)
        .as(CounterValue.class);
  }

  /** What a schedule would mean, with its next five times. */
  public SchedulePreview preview(ScheduleDefinition schedule) {
    return api.post("/v1/schedules/preview", schedule).as(SchedulePreview.class);
  }

  // --- what task managers do

  /** What is to be known for the next step; waits so long for something new to know. */
  public RunConduct conduct(long run, Duration patience) {
    String uri = path("/v1/task-runs/%s/conduct?timeout=%s", run, Durations.format(patience));
    HttpCall call = HttpCall.get(URI.create(uri)).within(patience.plus(MARGIN));
    return api.send(call).as(RunConduct.class);
  }

  /** Carries a step out; STALE_ATTEMPT when another attempt conducts the run, or when it ended. */
  public void step(long run, RunStep step) {
    api.post(path("/v1/task-runs/%s/conduct", run), step);
  }
}

package io.millrace.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.JobActionAnswer;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrialTest {
  private static final String QUEUE =
      """
      kind: queue
      name: alert
      batch: 2
      maxAttempts: 3
      worker:
        command: [grep, -c, x]
        env: {LEVEL: "2"}
        timeout: 9s
        priority: 4
        pool: fast
      """;
  private static final String TASK =
      """
      kind: task
      name: sweep
      job:
        command: [sweep, "{chunk}"]
        retry: {max: 3}
        requires: cpus >= 2
        notify: {webhook: "http://127.0.0.1/", on: [FAILED]}
      chunks: {list: [a, b]}
      """;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);
  private final AtomicReference<JobSpec> submitted = new AtomicReference<>();
  private final List<Verb> actions = new ArrayList<>();
  @TempDir private Path folder;

  @BeforeEach
  void aJobThatSucceeds() {
    ends(JobState.SUCCEEDED, 0);
  }

  @Test
  void aQueuesWorkerRunsAsAnOrdinaryJobWithTheEventsOnItsInput() throws IOException {
    int code =
        run.run("queue", "try", "-f", file(QUEUE), "--event", "{\"user\":17}", "--event", "[1]");

    assertThat(code).isZero();
    JobSpec spec = submitted.get();
    assertThat(spec.command()).containsExactly("grep", "-c", "x");
    assertThat(spec.stdin())
        .isEqualTo(
            """
            {"id":"sample-1","queue":"alert","attempt":1,"data":{"user":17}}
            {"id":"sample-2","queue":"alert","attempt":1,"data":[1]}
            """);
    assertThat(spec.env())
        .isEqualTo(Map.of("LEVEL", "2", "MILLRACE_QUEUE", "alert", "MILLRACE_EVENTS", "2"));
    assertThat(spec.input()).as("leases nothing").isNull();
    assertThat(spec.timeout()).hasSeconds(9);
    assertThat(spec.priority()).isEqualTo(4);
    assertThat(spec.pool()).isEqualTo("fast");
    assertThat(spec.tags()).containsExactly("try");
    assertThat(run.output()).isEqualTo("words\n");
    assertThat(run.messages()).contains("the 2 events would be acknowledged");
  }

  @Test
  void aQueueOfSessionsIsRefusedBeforeAnythingRuns() throws IOException {
    String orders =
        QUEUE
            .replace("name: alert", "name: orders\nsessions: {key: /order}")
            .replace("timeout: 9s", "");
    assertThat(run.run("queue", "try", "-f", file(orders), "--event", "{}")).isEqualTo(2);
    assertThat(run.messages())
        .contains("orders is a queue of sessions, which 'queue try' cannot run");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void onlyTheJobIsSentSoTheLiveQueueIsNotAffected() throws IOException {
    run.run("queue", "try", "-f", file(QUEUE), "--event", "{}");

    assertThat(cluster.asked()).allMatch(call -> call.contains(" /v1/jobs"));
  }

  @Test
  void theCommandExitsWithTheCodeOfTheWorkerAndDescribesTheOutcomeForEvents() throws IOException {
    ends(JobState.FAILED, 3);

    assertThat(run.run("queue", "try", "-f", file(QUEUE), "--event", "{}")).isEqualTo(3);

    assertThat(run.messages()).contains("exit code 3").contains("after 3 failures");
  }

  @Test
  void aWorkerGetsNoMoreThanABatchOfTheFile() throws IOException {
    Path events = Files.writeString(folder.resolve("e.ndjson"), "1\n\n2\n3\n");

    run.run("queue", "try", "-f", file(QUEUE), "--events", events.toString());

    assertThat(submitted.get().stdin()).hasLineCount(2);
    assertThat(run.messages()).contains("at most 2 events");
  }

  @Test
  void aTasksWorkerGetsItsChunkAndRunsOnceOnTheChosenNode() throws IOException {
    cluster.answering("GET /v1/execution-nodes", List.of(Map.of("name", "e2")));

    assertThat(run.run("task", "try", "-f", file(TASK), "--chunk", "b", "--node", "e2")).isZero();

    JobSpec spec = submitted.get();
    assertThat(spec.command()).containsExactly("sweep", "b");
    assertThat(spec.env()).containsEntry("MILLRACE_CHUNK", "b");
    assertThat(spec.requires()).isEqualTo("(cpus >= 2) && name == \"e2\"");
    assertThat(spec.retry().max()).isZero();
    assertThat(spec.notification()).isNull();
    assertThat(run.messages()).contains("the chunk would be done");
  }

  @Test
  void aTrialOfAnExclusiveTaskWaitsForItsTurnInTheLaneOfTheTask() throws IOException {
    answersInLane(JobState.BLOCKED, "task:sweep");

    assertThat(run.run("task", "try", "-f", file(TASK))).isZero();

    assertThat(submitted.get().lane()).isEqualTo("task:sweep");
    assertThat(submitted.get().failover()).hasMinutes(1);
    assertThat(run.messages())
        .contains(
            "submitted as job 17, which waits until the jobs before it in lane task:sweep have"
                + " ended; see why it is waiting");
  }

  @Test
  void aTrialOfATaskThatIsNotExclusiveRunsBesideItsJobs() throws IOException {
    run.run("task", "try", "-f", file(TASK + "exclusive: false\n"));

    assertThat(submitted.get().lane()).isNull();
    assertThat(submitted.get().failover()).isNull();
    assertThat(run.messages()).contains("submitted as job 17; see why it is waiting");
  }

  @Test
  void theNoticeSaysThatOthersWaitForATrialWhoseTurnItIs() throws IOException {
    answersInLane(JobState.WAITING, "task:sweep");

    assertThat(run.run("task", "try", "-f", file(TASK))).isZero();

    assertThat(run.messages())
        .contains(
            "submitted as job 17, for which later jobs of lane task:sweep wait until it has ended;"
                + " see why it is waiting");
  }

  @Test
  void anInterruptionCancelsATrialThatHasNotStarted() throws IOException {
    interruptedWhileWaiting();
    cluster.when("POST /v1/jobs/actions", call -> acted(call, 1));

    run.run("task", "try", "-f", file(TASK));

    assertThat(actions).as("it cannot start in between").containsExactly(Verb.HOLD, Verb.CANCEL);
    assertThat(run.messages())
        .contains("job 17 had not started and was cancelled")
        .doesNotContain("continues");
  }

  @Test
  void anInterruptedTrialThatRunsContinues() throws IOException {
    interruptedWhileWaiting();
    cluster.when("POST /v1/jobs/actions", call -> acted(call, 0));

    run.run("task", "try", "-f", file(TASK));

    assertThat(actions).as("it is not stopped").containsExactly(Verb.HOLD);
    assertThat(run.messages())
        .contains("job 17 continues; cancel it with: millrace job cancel 17")
        .doesNotContain("was cancelled");
  }

  @Test
  void anInterruptionThatNoServerAnswersSaysHowToCancelTheTrial() throws IOException {
    interruptedWhileWaiting();
    cluster.refusing("POST /v1/jobs/actions", ErrorCode.STORE_FAILURE, "no database");

    run.run("task", "try", "-f", file(TASK));

    assertThat(run.messages())
        .contains("job 17 was not cancelled (no database); cancel it with: millrace job cancel 17");
  }

  @Test
  void aTrialThatHasEndedIsNotCancelled() throws IOException {
    run.run("task", "try", "-f", file(TASK));
    run.interrupt();

    assertThat(cluster.asked()).noneMatch(call -> call.contains("actions"));
    assertThat(run.messages()).doesNotContain("continues");
  }

  private void interruptedWhileWaiting() {
    cluster.when(
        "GET /v1/jobs/17/wait",
        call -> {
          run.interrupt();
          return answer(Samples.job(17, "w", JobState.SUCCEEDED, 0));
        });
  }

  private HttpAnswer acted(HttpCall call, long changed) {
    JobAction action = Json.read(call.body(), JobAction.class);
    assertThat(action.ids()).containsExactly(17L);
    actions.add(action.verb());
    return answer(new JobActionAnswer(1, changed, List.of()));
  }

  private static HttpAnswer answer(Object body) {
    return FakeCluster.answer(200, "application/json", Json.writeBytes(body));
  }

  private void answersInLane(JobState state, String lane) {
    cluster.when(
        "POST /v1/jobs",
        call -> {
          submitted.set(spec(call));
          ObjectNode job = Json.mapper().valueToTree(Samples.job(17, "w", JobState.WAITING, null));
          job.put("state", state.name()).put("lane", lane);
          return FakeCluster.answer(200, "application/json", Json.writeBytes(job));
        });
  }

  @Test
  void withoutAChunkTheFirstIsTried() throws IOException {
    run.run("task", "try", "-f", file(TASK));

    assertThat(submitted.get().command()).containsExactly("sweep", "a");
    assertThat(run.messages()).contains("first chunk, a");
  }

  @Test
  void aWorkerOfAnExternalQueueRunsWithoutEventsOfMillrace() throws IOException {
    String external = QUEUE.replace("maxAttempts: 3\n", "") + "source: {waiting: [count]}\n";

    assertThat(run.run("queue", "try", "-f", file(external))).isZero();

    assertThat(submitted.get().stdin()).isNull();
    assertThat(submitted.get().env()).doesNotContainKey("MILLRACE_EVENTS");
    assertThat(run.messages()).contains("its events are external");
    refused("not applicable", file(external), "--event", "1");
  }

  @Test
  void anUnknownNodeIsReportedBeforeAnythingIsSubmitted() throws IOException {
    cluster.answering("GET /v1/execution-nodes", List.of(Map.of("name", "e1")));

    assertThat(run.run("queue", "try", "-f", file(QUEUE), "--event", "1", "--node", "e9"))
        .isEqualTo(3);

    assertThat(run.messages()).contains("no execution node e9; existing nodes: e1");
    assertThat(submitted.get()).isNull();
  }

  @Test
  void impossibleTrialsAreRefusedWithTheSolution() throws IOException {
    refused("--event", file(QUEUE));
    refused(
        "--event: not readable as JSON: the text ends before a value, object or list is complete (line 1, column 2)",
        file(QUEUE),
        "--event",
        "{");
    refused("; a file is given with --events", file(QUEUE), "--event", "samples.ndjson");
    refused("cannot read file", file(QUEUE), "--events", "/no/such");
    refused("--event", file(QUEUE + "  input: pull\n"));
    refused("input: pull", file(QUEUE + "  input: pull\n"), "--event", "1", "--node", "e2");
    refused("it contains none", file(TASK), "--event", "1");
    refused("specify a queue", file(QUEUE + "---\n{kind: queue, name: b}\n"), "--event", "1");
    refused("has no worker", file("{kind: queue, name: b}"), "--event", "1");
    assertThat(run.run("queue", "try", "-f", file("{kind: queue}"), "--event", "1")).isEqualTo(1);
    assertThat(run.messages()).contains("nothing was run; fix these errors");
    assertThat(submitted.get()).isNull();
  }

  private void refused(String message, String... arguments) {
    String[] all = new String[arguments.length + 3];
    System.arraycopy(new String[] {"queue", "try", "-f"}, 0, all, 0, 3);
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    assertThat(run.run(all)).isEqualTo(2);
    assertThat(run.messages()).contains(message);
  }

  private void ends(JobState state, int exitCode) {
    cluster
        .when(
            "POST /v1/jobs",
            call -> {
              submitted.set(spec(call));
              return FakeCluster.answer(
                  200,
                  "application/json",
                  Json.writeBytes(Samples.job(17, "w", JobState.WAITING, null)));
            })
        .answering("GET /v1/jobs/17", Map.of("job", Samples.job(17, "w", JobState.RUNNING, null)))
        .answering("GET /v1/jobs/17/wait", Samples.job(17, "w", state, exitCode))
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stdout", "words\n")
        .writing("GET /v1/jobs/17/logs?attempt=1&stream=stderr", "");
  }

  private static JobSpec spec(HttpCall call) {
    return Json.read(call.body(), JobSpec.class);
  }

  private String file(String text) throws IOException {
    return Files.writeString(Files.createTempFile(folder, "d", ".yaml"), text).toString();
  }
}

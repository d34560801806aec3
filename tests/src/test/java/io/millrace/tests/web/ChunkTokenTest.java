package io.millrace.tests.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.TaskClient;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.AttemptId;
import io.millrace.api.task.ChunkHandout;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.tests.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Chunks of a run are taken with the token of an attempt that works for the run, while it runs, and
 * with nothing else that a program can have.
 */
class ChunkTokenTest {
  private static final Duration LEASE = Duration.ofMinutes(5);

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  private final JdkTransport transport = new JdkTransport();
  private final List<Long> started = new ArrayList<>();
  private Path folder;

  /** A worker that waits, with what its node gave it. */
  private record Worker(long run, AttemptId attempt, String token) {}

  /** Starts a run whose one worker has the first of three chunks. */
  private Worker worker(String task) throws IOException {
    folder = CLUSTER.folder("chunk-token");
    String script =
        "echo $MILLRACE_TASK_RUN $MILLRACE_ATTEMPT $MILLRACE_TOKEN > $1/.$2; mv $1/.$2 $1/$2;"
            + " until [ -e $1/end ]; do sleep 0.1; done";
    String yaml =
        "{kind: task, name: %s, instances: 1, chunks: {list: [a, b, c]}, job: {command: [sh, -c, '%s', sh, %s, %s]}}"
            .formatted(task, script, folder, task);
    CLUSTER.central().apply(new ApplyRequest(List.of(new SourceFile("task.yaml", yaml)), false));
    started.add(CLUSTER.central().tasks().run(task).id());
    Path given = folder.resolve(task);
    Awaitility.await("its worker").atMost(Duration.ofSeconds(60)).until(() -> Files.exists(given));
    String[] words = Files.readString(given).strip().split(" ");
    return new Worker(Long.parseLong(words[0]), AttemptId.parse(words[1]), words[2]);
  }

  @AfterEach
  void end() throws IOException {
    Files.writeString(folder.resolve("end"), "");
    Awaitility.await("the end of the runs")
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                started.stream()
                    .allMatch(run -> CLUSTER.central().tasks().details(run).run().state().ended()));
    Files.delete(folder.resolve("end"));
  }

  private TaskClient with(String token) {
    return new TaskClient(
        new ApiClient(transport, new Endpoints(List.of(CLUSTER.address())), () -> token));
  }

  @Test
  void aWorkerTakesChunksWithItsOwnTokenUntilItEnds() throws Exception {
    Worker worker = worker("chunk-token-own");
    TaskClient tasks = with(worker.token());

    ChunkHandout b = tasks.nextChunk(worker.run(), LEASE).orElseThrow();
    tasks.chunkFailed(worker.run(), b, "not today");
    ChunkHandout again = tasks.nextChunk(worker.run(), LEASE).orElseThrow();
    assertThat(again.chunk()).isEqualTo("b");
    tasks.chunkDone(worker.run(), again);
    ChunkHandout c = tasks.nextChunk(worker.run(), LEASE).orElseThrow();

    Files.writeString(folder.resolve("end"), "");
    Awaitility.await("the end of the worker")
        .atMost(Duration.ofSeconds(60))
        .until(() -> CLUSTER.central().job(worker.attempt().job()).job().state().ended());
    assertThat(refusal(() -> tasks.nextChunk(worker.run(), LEASE))).isEqualTo("STALE_ATTEMPT");
    assertThat(refusal(() -> tasks.chunkDone(worker.run(), c))).isEqualTo("STALE_ATTEMPT");
    assertThat(refusal(() -> tasks.chunkFailed(worker.run(), c, "x"))).isEqualTo("STALE_ATTEMPT");
    CLUSTER.central(Role.OPERATOR).tasks().chunkDone(worker.run(), c);
  }

  @Test
  void nothingElseTakesThem() throws Exception {
    Worker one = worker("chunk-token-one");
    Worker other = worker("chunk-token-other");
    AttemptId next = new AttemptId(one.attempt().job(), one.attempt().number() + 1);
    ChunkHandout chunk = with(one.token()).nextChunk(one.run(), LEASE).orElseThrow();

    Map<String, String> expected = new TreeMap<>();
    Map<String, String> answers = new TreeMap<>();
    for (Credential wrong :
        List.of(
            new Credential("none", "", "UNAUTHENTICATED"),
            new Credential("invented", "a.b.c", "UNAUTHENTICATED"),
            new Credential(
                "expired",
                CLUSTER.expiredToken(Principal.taskWorker(one.run(), one.attempt())),
                "UNAUTHENTICATED"),
            new Credential("of another run's worker", other.token(), "FORBIDDEN"),
            new Credential("producer", token(Principal.of(Role.PRODUCER, "p")), "FORBIDDEN"),
            new Credential(
                "queue worker", token(Principal.worker("sample", one.attempt())), "FORBIDDEN"),
            new Credential(
                "of no run",
                token(Principal.of(Role.TASK_WORKER, one.attempt().toString())),
                "FORBIDDEN"),
            new Credential(
                "of another attempt",
                token(Principal.taskWorker(one.run(), next)),
                "STALE_ATTEMPT"),
            new Credential(
                "of an attempt of another run",
                token(Principal.taskWorker(one.run(), other.attempt())),
                "STALE_ATTEMPT"))) {
      TaskClient tasks = with(wrong.token());
      check(wrong, "next", refusal(() -> tasks.nextChunk(one.run(), LEASE)), expected, answers);
      check(wrong, "done", refusal(() -> tasks.chunkDone(one.run(), chunk)), expected, answers);
      check(
          wrong,
          "failed",
          refusal(() -> tasks.chunkFailed(one.run(), chunk, "x")),
          expected,
          answers);
    }
    assertThat(answers).isEqualTo(expected);
    with(one.token()).chunkDone(one.run(), chunk);
  }

  private record Credential(String name, String token, String code) {}

  private static void check(
      Credential wrong,
      String request,
      String answer,
      Map<String, String> expected,
      Map<String, String> answers) {
    expected.put(wrong.name() + ": " + request, wrong.code());
    answers.put(wrong.name() + ": " + request, answer);
  }

  private static String token(Principal principal) {
    return CLUSTER.token(principal);
  }

  private static String refusal(Runnable request) {
    try {
      request.run();
      return "accepted";
    } catch (MillraceException e) {
      return e.code().name();
    }
  }
}

package io.millrace.cli.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueCommandsTest {
  private final FakeCluster cluster =
      new FakeCluster()
          .answering("GET /v1/overview", Samples.overview(true, Samples.queue("alert")))
          .answering("POST /v1/queues/alert/events", new SendAnswer("alert", "b", 1, false, "q1"));
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theListShowsFiguresAndWeights() {
    run.run("queue", "list");
    assertThat(run.output())
        .isEqualTo(
            """
            NAME   WAITING  OLDEST  LEASED  DEAD  IN/S  DONE/S  WORKERS         EMPTY IN    P50   P99  WEIGHTS        STATE
            alert    1,592    2.5s      50     3  12.3     250        3  backlog growing  310ms  4.2s  q1:500 q2:500
            """);
  }

  @Test
  void anEventIsSentToALoadBalancerUnchanged() {
    assertThat(run.run("queue", "send", "alert", "--data", "{\"a\":1}", "--batch", "b")).isZero();
    assertThat(cluster.last().uri().getAuthority()).isEqualTo("127.0.0.1:7701");
    assertThat(cluster.last().headers())
        .containsEntry(EventMedia.BATCH_HEADER, "b")
        .containsEntry("Content-Type", EventMedia.JSON);
    assertThat(body()).isEqualTo("[{\"a\":1}]");
    assertThat(run.output()).isEqualTo("1 event accepted by q1 as b\n");
  }

  @Test
  void aRepeatedBatchIsReported() {
    cluster.answering("POST /v1/queues/alert/events", new SendAnswer("alert", "b", 1, true, "q1"));
    run.run("queue", "send", "alert", "--data", "1", "--batch", "b");
    assertThat(run.output()).contains("1 of them were already stored under this batch name");
  }

  @Test
  void aBatchNeedsAName() {
    assertThat(run.run("queue", "send", "alert", "--data", "1", "--batch", "")).isEqualTo(2);
    assertThat(run.messages()).contains("--batch requires a name");
  }

  @Test
  void anEventWithAnIdIsSentInAnEnvelope() {
    run.run("queue", "send", "alert", "--data", "7", "--id", "mine");
    assertThat(cluster.last().headers()).containsEntry("Content-Type", EventMedia.ENVELOPES);
    assertThat(body()).isEqualTo("{\"id\":\"mine\",\"data\":7}");
  }

  @Test
  void delayAndPriorityAreSentForAllEvents() {
    run.run("queue", "send", "alert", "--data", "1", "--delay", "10m", "--priority", "5");
    assertThat(cluster.asked().get(cluster.asked().size() - 1))
        .isEqualTo("POST /v1/queues/alert/events?delay=10m&priority=5");
  }

  @Test
  void dataThatIsNotJsonIsRefusedBeforeAnythingIsSent() {
    assertThat(run.run("queue", "send", "alert", "--data", "{nonsense")).isEqualTo(1);
    assertThat(run.messages()).contains("line 1");
    assertThat(cluster.asked()).noneMatch(asked -> asked.startsWith("POST"));
  }

  @Test
  void manyLinesAreSentInNamedBatchesThatEveryServerTakes() {
    String lines = "{}\n".repeat(4_500);
    assertThat(run.reading(lines).run("queue", "send", "alert", "--lines", "-", "--batch", "day"))
        .isZero();
    assertThat(cluster.asked().stream().filter(asked -> asked.startsWith("POST"))).hasSize(5);
    assertThat(cluster.last().headers())
        .containsEntry(EventMedia.BATCH_HEADER, "day-4")
        .containsEntry("Content-Type", EventMedia.LINES);
    assertThat(run.output()).contains("day-0 to day-4");
  }

  @Test
  void nothingToSendIsAnError() {
    assertThat(run.reading("\n\n").run("queue", "send", "alert", "--lines", "-")).isEqualTo(2);
  }

  @Test
  void aFileIsSentUnchanged(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("events.json"), "[1,2]");
    run.run("queue", "send", "alert", file.toString());
    assertThat(body()).isEqualTo("[1,2]");
  }

  @Test
  void eventsComeFromExactlyOneSource() {
    assertThat(run.run("queue", "send", "alert")).isEqualTo(2);
    assertThat(run.run("queue", "send", "alert", "-", "--data", "1")).isEqualTo(2);
  }

  @Test
  void withoutALoadBalancerTheMessageShowsHowToStartOne() {
    cluster.answering("GET /v1/overview", Samples.overview(false));
    assertThat(run.run("queue", "send", "alert", "--data", "1")).isEqualTo(5);
    assertThat(run.messages()).contains("load-balancer");
  }

  @Test
  void anUnknownQueueIsNotFound() {
    cluster.refusing("POST /v1/queues/other/events", ErrorCode.UNKNOWN_QUEUE, "no queue 'other'");
    assertThat(run.run("queue", "send", "other", "--data", "1")).isEqualTo(3);
  }

  private String body() {
    return new String(cluster.last().body(), StandardCharsets.UTF_8);
  }
}

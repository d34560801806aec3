package io.millrace.cli.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.insight.FigureHistory;
import io.millrace.api.insight.FigureHistory.FigureSample;
import io.millrace.api.insight.FigureHistory.SampledFigure;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.node.BalancerReport.BalancerAddress;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueCommandsTest {
  private final FakeCluster cluster =
      new FakeCluster()
          .answering("GET /v1/overview", Samples.overview(true, Samples.queue("alert")))
          .answering(
              "GET /v1/load-balancers",
              List.of(new BalancerAddress("b1", URI.create("http://127.0.0.1:7701"))))
          .answering("POST /v1/queues/alert/events", new SendAnswer("alert", "b", 1, false, "q1"));
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theListShowsFiguresAndWeights() {
    run.run("queue", "list");
    assertThat(run.output())
        .isEqualTo(
            """
            NAME   WAITING  OLDEST  LEASED  DEAD  IN/S  DONE/S  WORKERS         EMPTY IN    P50   P99  WEIGHTS        STATE
            alert    1,592    2.5s      50     3   250    12.3        3  backlog growing  310ms  4.2s  q1:500 q2:500
            """);
  }

  @Test
  void aBacklogIsOnlySaidToGrowIfMoreEventsArriveThanAreDone() {
    QueueControl consuming = new QueueControl("a", false, true, "ann", CommandRun.NOW, "deploy");
    QueueControl sending = new QueueControl("c", true, false, "ann", CommandRun.NOW, null);
    cluster.answering(
        "GET /v1/overview",
        Samples.overview(
            true,
            Samples.stuck("a", consuming, 250, 0),
            Samples.stuck("b", null, 250, 12.34),
            Samples.stuck("c", sending, 250, 0),
            Samples.deleting("d")));
    run.run("queue", "list");
    assertThat(run.output())
        .containsPattern("\na .* paused  .*consuming paused by ann: deploy")
        .containsPattern("\nb .* backlog growing ")
        .containsPattern("\nc .* no progress ")
        .containsPattern("\nd .* no progress .* deleting\n");
    assertThat(run.output().split("backlog growing", -1)).as("only of b").hasSize(2);
  }

  @Test
  void theHistoryShowsMeansAndPeaksOfEachStep() {
    Instant noon = Instant.parse("2026-03-01T12:00:00Z");
    FigureSample step =
        new FigureSample(
            noon,
            Map.of(
                FigureHistory.WAITING, new SampledFigure(12.4, 90),
                FigureHistory.OLDEST_SECONDS, new SampledFigure(1, 4.2),
                FigureHistory.EVENT_RATE, new SampledFigure(12.3, 40)),
            Map.of("q2", 400, "q1", 600));
    cluster.answering(
        "GET /v1/queues/alert/history",
        new FigureHistory("alert", noon, noon.plusSeconds(300), 60, List.of(step)));

    String[] words = {
      "queue",
      "history",
      "alert",
      "--from",
      "2026-03-01T13:00:00+01:00",
      "--to",
      "2026-03-01T12:05:00Z"
    };
    assertThat(run.run(words)).isZero();

    assertThat(cluster.last().uri().getQuery())
        .isEqualTo("from=2026-03-01T12:00:00Z&to=2026-03-01T12:05:00Z");
    assertThat(run.output())
        .isEqualTo(
            """
            AT                    WAITING  PEAK  OLDEST  IN/S  DONE/S  STARTS/S  WORKERS  WEIGHTS
            2026-03-01T12:00:00Z       12    90    4.2s  12.3       0         0        0  q1:600 q2:400
            """);
    assertThat(run.messages()).contains("each line is a step of 1m");
  }

  @Test
  void aHistoryOfMoreThanIsKeptSaysWhereItBegins() {
    Instant kept = Instant.parse("2026-01-30T12:00:00Z");
    cluster.answering(
        "GET /v1/queues/alert/history",
        new FigureHistory("alert", kept, CommandRun.NOW, 7200, List.of()));
    assertThat(run.run("queue", "history", "alert", "--since", "99d")).isZero();
    assertThat(run.messages())
        .endsWith("samples are kept for 30 days: the span begins at 2026-01-30T12:00:00Z\n");
    CommandRun shorter = new CommandRun(cluster);
    shorter.run("queue", "history", "alert", "--since", "30d");
    assertThat(shorter.messages()).doesNotContain("samples are kept");
  }

  @Test
  void aHistoryThatEndsBeforeItBeginsIsRefusedBeforeAnythingIsSent() {
    assertThat(
            run.run(
                "queue",
                "history",
                "alert",
                "--from",
                "2026-03-01T12:00:00Z",
                "--to",
                "2026-03-01T11:00:00Z"))
        .isEqualTo(2);
    assertThat(run.messages()).contains("--from: must be before the end");
    assertThat(run.run("queue", "history", "alert", "--from", "+1m", "--since", "1h")).isEqualTo(2);
    assertThat(run.messages()).contains("--since: cannot be used with --from");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aScriptIsShownLineByLineUpToALimit() {
    String script = "set -e\n" + "step\n".repeat(30);
    QueueDefinition definition =
        Json.read(
            Json.write(
                Map.of("name", "alert", "worker", Map.of("command", List.of("sh", "-c", script)))),
            QueueDefinition.class);
    cluster.answering(
        "GET /v1/queues/alert",
        new QueueDetails(
            Samples.queue("alert"), definition, List.of(), List.of(), List.of(), null));
    assertThat(run.run("queue", "show", "alert")).isZero();
    assertThat(run.output())
        .contains("  worker      sh -c 'set -e\n" + ("              step\n".repeat(19)))
        .contains("              … 12 more lines\n  input ");
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
  void sendingAsksForNothingThatAProducerMayNotRead() {
    run.run("queue", "send", "alert", "--data", "1");
    assertThat(cluster.asked())
        .containsExactly("GET /v1/load-balancers", "POST /v1/queues/alert/events");
  }

  @Test
  void aRepeatedBatchIsReported() {
    cluster.answering("POST /v1/queues/alert/events", new SendAnswer("alert", "b", 1, true, "q1"));
    run.run("queue", "send", "alert", "--data", "1", "--batch", "b");
    assertThat(run.output()).contains("1 of them were already stored under this batch name");
  }

  @Test
  void aBatchNeedsAName() {
    for (String wrong : List.of("", " ", "a b", "é", "x".repeat(101))) {
      CommandRun refused = new CommandRun(cluster);
      assertThat(refused.run("queue", "send", "alert", "--data", "1", "--batch", wrong))
          .isEqualTo(2);
      assertThat(refused.messages())
          .contains("--batch: use 1 to 100 printable ASCII characters")
          .doesNotContain(EventMedia.BATCH_HEADER);
    }
    String withNumber = "x".repeat(91);
    assertThat(run.reading("1").run("queue", "send", "q", "-", "--lines", "--batch", withNumber))
        .isEqualTo(2);
    assertThat(run.messages()).contains("--batch: use at most 90 characters with --lines");
    assertThat(cluster.asked()).isEmpty();
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
    for (String wrong : List.of("{nonsense", "1 2", "")) {
      CommandRun refused = new CommandRun(cluster);
      assertThat(refused.run("queue", "send", "alert", "--data", wrong)).as(wrong).isEqualTo(2);
      assertThat(refused.messages()).contains("--data: ");
    }
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
    cluster.answering("GET /v1/load-balancers", List.of());
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

  @Test
  void aFileGivenAsDataIsRefusedWithHowItIsGiven() {
    assertThat(run.run("queue", "send", "alert", "--data", "events.json")).isEqualTo(2);
    assertThat(run.messages())
        .contains(
            "--data: not JSON: ", "; to send a file, name it after the queue, without --data");
  }
}

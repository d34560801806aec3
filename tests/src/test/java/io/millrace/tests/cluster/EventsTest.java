package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The path of an event: sent through the load balancer, processed, acknowledged or given up. */
class EventsTest {
  private static final Duration SOON = Duration.ofMinutes(2);

  @RegisterExtension static final Cluster CLUSTER = new Cluster(2, 2, 8);

  @Test
  void eventsOfEveryMediaTypeAreDistributedByWeightAndProcessedExactlyOnceWithoutFailures()
      throws IOException {
    Path results = CLUSTER.folder("tally");
    CLUSTER.define(
        """
        kind: queue
        name: tally
        batch: 20
        pacing: {tick: 200ms, waitTarget: 500ms}
        worker:
          command: ["sh", "-c", "cat > $1/.$MILLRACE_ATTEMPT && mv $1/.$MILLRACE_ATTEMPT $1/$MILLRACE_ATTEMPT", "tally", "%s"]
        """
            .formatted(results));

    Set<String> sent = new TreeSet<>();
    sent.addAll(send("tally", "single", EventMedia.JSON, "{\"n\":0}"));
    sent.addAll(send("tally", "array", EventMedia.JSON, "[{\"n\":1}, 2, \"three\", null, [5]]"));
    for (int batch = 0; batch < 40; batch++) {
      String body = IntStream.range(0, 10).mapToObj(n -> "{\"n\":" + n + "}\n").collect(joined());
      sent.addAll(send("tally", "lines" + batch, EventMedia.LINES, body));
    }
    SendAnswer own =
        CLUSTER
            .producer()
            .send(
                "tally",
                "own",
                EventMedia.ENVELOPES,
                bytes(
                    """
                    {"id":"mine-a","data":{"n":1},"attributes":{"colour":"green"}}
                    {"id":"mine-b","data":{"n":2}}
                    """));
    assertThat(own.accepted()).isEqualTo(2);
    sent.addAll(List.of("mine-a", "mine-b"));

    await("every event is acknowledged")
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(CLUSTER.view("tally").acknowledged()).isEqualTo(sent.size()));
    QueueView view = CLUSTER.view("tally");
    assertThat(view.inserted()).isEqualTo(sent.size());
    assertThat(List.of(view.waiting(), view.delayed(), view.leased(), view.dead()))
        .containsOnly(0L);
    assertThat(view.workerRuns()).isPositive();

    List<JsonNode> worked = results(results);
    assertThat(worked.stream().map(event -> event.get("id").asText()).toList())
        .containsExactlyInAnyOrderElementsOf(sent);
    assertThat(worked)
        .filteredOn(event -> event.get("id").asText().equals("mine-a"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.at("/attributes/colour").asText()).isEqualTo("green");
              assertThat(event.at("/data/n").asInt()).isEqualTo(1);
              assertThat(event.get("queue").asText()).isEqualTo("tally");
              assertThat(event.get("attempt").asInt()).isEqualTo(1);
            });
    assertThat(worked)
        .filteredOn(event -> event.get("id").asText().startsWith("array-"))
        .extracting(event -> event.get("data").toString())
        .containsExactlyInAnyOrder("{\"n\":1}", "2", "\"three\"", "null", "[5]");

    assertThat(view.weights().values().stream().mapToInt(Integer::intValue).sum())
        .isEqualTo(QueueWeights.TOTAL);
    assertThat(view.weights()).containsOnlyKeys("q1", "q2");
    for (SegmentFigures segment : figures("tally")) {
      double share = (double) segment.weight() / QueueWeights.TOTAL;
      assertThat((double) segment.inserted() / sent.size())
          .as("share of segment on %s", segment.node())
          .isCloseTo(share, offset(0.1));
    }
  }

  @Test
  void aWorkerGetsManyBatchesAsAStreamAndItsAnswersDecideAboutEachEvent() throws IOException {
    Path results = CLUSTER.folder("streamed");
    CLUSTER.define(
        """
        kind: queue
        name: streamed
        batch: 10
        maxAttempts: 1
        pacing: {tick: 200ms, waitTarget: 2s, maxWorkers: 2}
        worker:
          command:
            - sh
            - -c
            - |
              echo "$MILLRACE_ATTEMPT" >> "$1/runs"
              while read -r event; do
                id=${event#*'"id":"'}; id=${id%%%%'"'*}
                echo "$id" >> "$1/seen"
                case $event in
                  *poison*) echo "{\\"id\\":\\"$id\\",\\"ok\\":false,\\"reason\\":\\"poison\\"}" ;;
                  *) echo "{\\"id\\":\\"$id\\",\\"ok\\":true}" ;;
                esac
              done
            - streamed
            - %s
          input: stream
          linger: {maxEvents: 100000, maxTime: 1m, idle: 3s}
        """
            .formatted(results));
    Set<String> sent = new TreeSet<>();
    for (int batch = 0; batch < 10; batch++) {
      String body = IntStream.range(0, 20).mapToObj(n -> "{\"n\":" + n + "}\n").collect(joined());
      sent.addAll(send("streamed", "lines" + batch, EventMedia.LINES, body));
    }
    send("streamed", "bad", EventMedia.JSON, "{\"n\":\"poison\"}");

    await("every good event is acknowledged and the bad one is a dead letter")
        .atMost(SOON)
        .untilAsserted(
            () -> {
              assertThat(CLUSTER.view("streamed").acknowledged()).isEqualTo(sent.size());
              assertThat(CLUSTER.view("streamed").dead()).isEqualTo(1);
            });
    assertThat(Files.readAllLines(results.resolve("seen"))).containsAll(sent);
    assertThat(Files.readAllLines(results.resolve("runs")))
        .as("far fewer processes than batches")
        .hasSizeLessThan(10);
  }

  @Test
  void aBatchResentUnderTheSameNameIsStoredOnce() {
    CLUSTER.define("{kind: queue, name: repeated}");
    byte[] body = bytes("[1,2,3]");
    SendAnswer first = CLUSTER.producer().send("repeated", "same", EventMedia.JSON, body);
    assertThat(first.repeated()).isFalse();
    List<SendAnswer> again =
        Stream.generate(
                () ->
                    CLUSTER
                        .queueNode(first.node(), Role.OPERATOR)
                        .send(call("repeated", "same", EventMedia.JSON, body))
                        .as(SendAnswer.class))
            .limit(3)
            .toList();
    assertThat(again).allMatch(SendAnswer::repeated);
    assertThat(stored("repeated")).isEqualTo(3);
  }

  @Test
  void aPoisonEventBecomesADeadLetterWithItsWorkersErrorOutputAndTheRestOfItsBatchIsProcessed()
      throws IOException {
    Path results = CLUSTER.folder("digest");
    CLUSTER.define(
        """
        kind: queue
        name: digest
        batch: 10
        maxAttempts: 2
        pacing: {tick: 200ms, waitTarget: 500ms}
        worker:
          command:
            - sh
            - -c
            - |
              batch=$(cat)
              case $batch in
                *poison*) echo "cannot digest the poison of $MILLRACE_ATTEMPT" >&2; exit 9 ;;
              esac
              echo "$batch" > "$1/$MILLRACE_ATTEMPT"
            - digest
            - %s
        """
            .formatted(results));
    send("digest", "meal", EventMedia.JSON, "[0,1,2,3,\"poison\",5,6,7,8,9]");

    await("the poison event is a dead letter and the rest of its batch is processed")
        .atMost(SOON)
        .untilAsserted(
            () -> {
              QueueView view = CLUSTER.view("digest");
              assertThat(view.dead()).isEqualTo(1);
              assertThat(view.acknowledged()).isEqualTo(9);
            });
    assertThat(results(results).stream().map(event -> event.get("id").asText()).toList())
        .hasSize(9)
        .doesNotContain("meal-4");
    List<DeadEvent> dead =
        Stream.of("q1", "q2")
            .flatMap(
                node ->
                    Stream.of(
                        CLUSTER
                            .queueNode(node, Role.VIEWER)
                            .get("/v1/queues/digest/dead")
                            .as(DeadEvent[].class)))
            .toList();
    assertThat(dead)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.id()).isEqualTo("meal-4");
              assertThat(event.failures()).isEqualTo(2);
              assertThat(event.reason()).contains("cannot digest the poison");
              assertThat(event.data().asText()).isEqualTo("poison");
            });
    QueueDetails details = CLUSTER.central().queue("digest");
    assertThat(details.lastFailure().exitCode()).isEqualTo(9);
    assertThat(details.lastFailure().stderrTail()).contains("cannot digest the poison");
  }

  @Test
  void aPullWorkerLeasesAndAcknowledgesWithTheSettingsInItsEnvironment() throws IOException {
    Path results = CLUSTER.folder("pull");
    Path program = PullWorker.write(CLUSTER.folder("programs"));
    CLUSTER.define(
        """
        kind: queue
        name: pull
        batch: 7
        pacing: {tick: 200ms, waitTarget: 1s, maxWorkers: 2}
        worker:
          command: ["%s", "%s", "%s"]
          input: pull
        """
            .formatted(PullWorker.java(), program, results));
    Set<String> sent = new TreeSet<>();
    for (int batch = 0; batch < 4; batch++) {
      sent.addAll(send("pull", "drawn" + batch, EventMedia.JSON, "[1,2,3,4,5]"));
    }
    await("every event is pulled and acknowledged")
        .atMost(SOON.multipliedBy(2))
        .untilAsserted(
            () -> assertThat(CLUSTER.view("pull").acknowledged()).isEqualTo(sent.size()));
    assertThat(Folders.lines(results)).containsExactlyInAnyOrderElementsOf(sent);
  }

  /** Sends a batch through the load balancer; returns the ids of its events. */
  private static List<String> send(String queue, String batch, String media, String body) {
    SendAnswer answer = CLUSTER.producer().send(queue, batch, media, bytes(body));
    assertThat(answer.batch()).isEqualTo(batch);
    assertThat(answer.repeated()).isFalse();
    return IntStream.range(0, answer.accepted()).mapToObj(n -> batch + "-" + n).toList();
  }

  private static HttpCall call(String queue, String batch, String media, byte[] body) {
    return HttpCall.post(URI.create("/v1/queues/" + queue + "/events"), media, body)
        .with(EventMedia.BATCH_HEADER, batch);
  }

  private static List<SegmentFigures> figures(String queue) {
    List<SegmentFigures> figures = new ArrayList<>();
    for (String node : List.of("q1", "q2")) {
      figures.add(
          CLUSTER
              .queueNode(node, Role.VIEWER)
              .get("/v1/segments/" + queue)
              .as(SegmentFigures.class));
    }
    return figures;
  }

  private static long stored(String queue) {
    return figures(queue).stream().mapToLong(SegmentFigures::inserted).sum();
  }

  private static List<JsonNode> results(Path folder) throws IOException {
    return Folders.lines(folder).stream().map(line -> Json.read(line, JsonNode.class)).toList();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Collector<CharSequence, ?, String> joined() {
    return Collectors.joining();
  }
}

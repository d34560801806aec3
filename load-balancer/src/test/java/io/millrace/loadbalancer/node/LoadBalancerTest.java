package io.millrace.loadbalancer.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.Problem;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.Topology;
import io.millrace.api.session.SlotTable;
import io.millrace.loadbalancer.FakeNodes;
import io.millrace.loadbalancer.SlotNodes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole load balancer over real HTTP, with a central manager and queue nodes of cardboard. */
@Timeout(60)
class LoadBalancerTest {
  private static final String EVENTS = "/v1/queues/alert/events";

  @TempDir Path folder;

  private final FakeNodes nodes = new FakeNodes();
  private final Topology topology = FakeNodes.topology(Map.of("q1", 500, "q2", 500));
  private final FakeCluster cluster = new FakeCluster(nodes, topology);
  private RunningBalancer balancer;

  @BeforeEach
  void begin() throws Exception {
    balancer = new RunningBalancer(folder, cluster);
  }

  @AfterEach
  void end() {
    balancer.stop();
  }

  @Test
  void aBalancerThatIsStoppedSaysSoAfterItsLastReport() {
    Awaitility.await().until(() -> !cluster.told().isEmpty());
    String report = cluster.told().get(0);
    balancer.stop();
    assertThat(cluster.told())
        .last()
        .isEqualTo(report.replace("POST", "DELETE").replace("/report", ""));
  }

  /** The restored central database is from before the deletion. */
  @Test
  void aQueueThatIsDefinedAgainByARestorationAcceptsEvents() throws Exception {
    QueueDeletion deleted = new QueueDeletion("alert", 1, DeletionMode.DISCARD, true);
    cluster.tell(
        new Topology(
            "deleted",
            List.of(),
            List.of(),
            topology.nodes(),
            List.of(),
            List.of(),
            List.of(),
            List.of(deleted)));
    Awaitility.await().until(() -> post(EventMedia.LINES, line()).statusCode() == 404);
    cluster.tell(topology);
    Awaitility.await().until(() -> post(EventMedia.LINES, line()).statusCode() != 404);
    assertThat(post(EventMedia.LINES, line()).statusCode()).isEqualTo(200);
  }

  private static BodyPublisher line() {
    return BodyPublishers.ofString("1\n");
  }

  @Test
  void bodyOfAnyLengthWithoutContentLengthIsStoredWhole() throws Exception {
    int events = 50_000;
    byte[] line = bytes("\"" + "x".repeat(800) + "\"\n");
    InputStream body = repeated(line, events);

    HttpResponse<String> answer = post(EventMedia.LINES, BodyPublishers.ofInputStream(() -> body));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    SendAnswer sent = Json.read(bytes(answer.body()), SendAnswer.class);
    assertThat(sent.accepted()).isEqualTo(events);
    assertThat(nodes.stored().values().stream().mapToInt(Integer::intValue).sum())
        .isEqualTo(events);
  }

  @Test
  void jsonAboveTheLimitIsRefusedWithAMessageForTheClient() throws Exception {
    HttpResponse<String> answer =
        post(EventMedia.JSON, BodyPublishers.ofByteArray(new byte[9 << 20]));

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(problem(answer).detail()).contains(EventMedia.LINES);
  }

  @Test
  void refusalInTheMiddleOfLongBodyReachesTheClientThatStillWrites() throws Exception {
    InputStream body =
        new SequenceInputStream(
            new ByteArrayInputStream(bytes("1\n".repeat(5) + "x".repeat(2 << 20) + "\n")),
            repeated(bytes("1\n"), 4_000_000));

    HttpResponse<String> answer = post(EventMedia.LINES, BodyPublishers.ofInputStream(() -> body));

    assertThat(problem(answer).code()).isEqualTo(ErrorCode.BODY_TOO_LARGE.name());
    assertThat(problem(answer).detail()).contains("line 6 ").contains("5 events are stored");
  }

  @Test
  void refusalsThatPassSayWhenToTryAgain() throws Exception {
    for (ErrorCode code : List.of(ErrorCode.QUEUE_FULL, ErrorCode.RATE_LIMITED)) {
      nodes.refuse("q1", code);
      nodes.refuse("q2", code);
      HttpResponse<String> answer = post(EventMedia.JSON, BodyPublishers.ofString("1"));
      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(answer.headers().firstValue("Retry-After")).contains("1");
    }
  }

  @Test
  void aPausedQueueIsRefusedAsSoonAsTheTopologyChanges() throws Exception {
    QueueControl pause = new QueueControl("alert", true, false, "ann", Instant.EPOCH, null);
    cluster.tell(
        new Topology(
            "v2", topology.queues(), topology.weights(), topology.nodes(), List.of(pause)));

    Awaitility.await()
        .untilAsserted(
            () -> {
              HttpResponse<String> answer = post(EventMedia.JSON, BodyPublishers.ofString("1"));
              assertThat(answer.statusCode()).isEqualTo(503);
              assertThat(problem(answer).code()).isEqualTo(ErrorCode.QUEUE_PAUSED.name());
              assertThat(answer.headers().firstValue("Retry-After")).contains("10");
            });
  }

  @Test
  void queryParametersReachTheNodeAndUnknownOnesAreRefused() throws Exception {
    HttpResponse<String> refused =
        send(EVENTS + "?delai=10s", EventMedia.JSON, BodyPublishers.ofString("1"));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("did you mean 'delay'?");

    send(EVENTS + "?delay=10s&priority=3", EventMedia.JSON, BodyPublishers.ofString("1"));
    assertThat(nodes.queries()).containsExactly("delay=10s&priority=3");
  }

  @Test
  void everyMetricOfTheManualIsMeasured() throws Exception {
    nodes.fail("q1", new IOException("broken"));
    nodes.fail("q1", new IOException("broken again"));
    for (int i = 0; i < 4; i++) {
      post(EventMedia.JSON, BodyPublishers.ofString("1"));
    }

    serveSessionsToo();
    nodes.refuse("q1", ErrorCode.STALE_SLOT);
    String events = "{\"key\":\"k\"}\n{\"without\":1}";
    HttpResponse<String> sessions =
        send("/v1/queues/orders/events", EventMedia.LINES, BodyPublishers.ofString(events));
    assertThat(sessions.statusCode()).as(sessions.body()).isEqualTo(207);

    String manual = Files.readString(Path.of("..", "docs", "metrics.md"));
    String measured = get("/metrics").body();

    List<String> names =
        Pattern.compile("`(millrace_balancer_\\w+)`")
            .matcher(manual)
            .results()
            .map((MatchResult match) -> match.group(1))
            .toList();
    assertThat(names).hasSizeGreaterThan(9);
    assertThat(names)
        .allSatisfy(name -> assertThat(measured).containsPattern("(?m)^" + name + "[{ _]"));
  }

  private void serveSessionsToo() {
    Topology sessions = SlotNodes.topology(SlotTable.of(Map.of("q1", 1000)));
    cluster.tell(
        new Topology(
            "both",
            Stream.concat(topology.queues().stream(), sessions.queues().stream()).toList(),
            Stream.concat(topology.weights().stream(), sessions.weights().stream()).toList(),
            topology.nodes(),
            List.of()));
    Awaitility.await()
        .until(
            () ->
                send("/v1/queues/orders/events", EventMedia.LINES, BodyPublishers.noBody())
                        .statusCode()
                    == 400);
  }

  private static InputStream repeated(byte[] line, int times) {
    return new SequenceInputStream(
        Collections.enumeration(
            Collections.nCopies(times / 1_000, line).stream()
                .map(each -> (InputStream) new ByteArrayInputStream(thousand(each)))
                .toList()));
  }

  private static byte[] thousand(byte[] line) {
    return bytes(new String(line, StandardCharsets.UTF_8).repeat(1_000));
  }

  private HttpResponse<String> post(String mediaType, BodyPublisher body) throws Exception {
    return send(EVENTS, mediaType, body);
  }

  private HttpResponse<String> send(String path, String mediaType, BodyPublisher body)
      throws Exception {
    return balancer.post(path, mediaType, body);
  }

  private HttpResponse<String> get(String path) throws Exception {
    return balancer.get(path);
  }

  private static Problem problem(HttpResponse<String> answer) {
    return Json.read(bytes(answer.body()), Problem.class);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

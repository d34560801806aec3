package io.millrace.queuenode.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.LeaseRequest;
import io.millrace.api.event.LeaseRequest.DeliveredEvent;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.ReceiptAnswer.Extension;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.job.AttemptId;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.queue.Topology;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.Route;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.membership.ClusterView;
import io.millrace.platform.membership.LocalClusterView;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A complete queue node over real HTTP, with a fake central manager. */
class QueueNodeTest {
  @TempDir Path folder;

  private final SystemClock clock = new SystemClock();
  private final JdkTransport transport = new JdkTransport();
  private final FakeCentral central = new FakeCentral();
  private final LocalClusterView view = new LocalClusterView(clock);
  private TokenIssuer issuer;
  private QueueNode node;

  @BeforeEach
  void begin() {
    Path tokens = folder.resolve("tokens");
    KeyFiles.ensure(tokens);
    issuer = new TokenIssuer(KeyFiles.privateKey(tokens), clock);
    TokenFiles.ensure(tokens, issuer);
    central.publish(topology(10));
    open();
    Awaitility.await()
        .untilAsserted(() -> assertThat(get("/readyz", Role.ADMIN).status()).isEqualTo(200));
  }

  @AfterEach
  void end() {
    node.stop();
  }

  private void open() {
    QueueNodeSettings settings =
        QueueNodeSettings.of(
            "q1",
            folder.resolve("q1"),
            List.of(URI.create("http://127.0.0.1:9")),
            folder.resolve("tokens").resolve(KeyFiles.PUBLIC));
    node = new QueueNode(settings, clock, central, view);
    node.start();
  }

  @Test
  void aBatchIsSentLeasedAndAcknowledged() {
    SendAnswer sent = client(Role.PRODUCER).send("alert", "b1", EventMedia.LINES, bytes("1\n2\n3"));
    assertThat(sent).isEqualTo(new SendAnswer("alert", "b1", 3, false, "q1"));
    assertThat(client(Role.PRODUCER).send("alert", "b1", EventMedia.LINES, bytes("1\n2\n3")))
        .isEqualTo(new SendAnswer("alert", "b1", 3, true, "q1"));

    QueueClient worker = client(worker("alert"));
    Lease lease = worker.lease("alert", new LeaseRequest(2, null, null, "w1"));
    assertThat(lease.events()).extracting(DeliveredEvent::id).containsExactly("b1-0", "b1-1");
    assertThat(lease.lease()).isEqualTo(Duration.ofSeconds(30));
    ReceiptAnswer extended =
        worker.extend("alert", new Extension(receipts(lease), Duration.ofMinutes(1)));
    assertThat(extended.done()).isEqualTo(2);
    assertThat(worker.acknowledge("alert", new Acknowledgement(receipts(lease))).done())
        .isEqualTo(2);
    assertThat(worker.acknowledge("alert", new Acknowledgement(receipts(lease))).stale())
        .isEqualTo(receipts(lease));

    SegmentFigures figures = client(Role.VIEWER).figures("alert");
    assertThat(figures.waiting()).isEqualTo(1);
    assertThat(figures.acknowledged()).isEqualTo(2);
    assertThat(figures.weight()).isEqualTo(1000);
    assertThat(get("/v1/segments", Role.OPERATOR).as(SegmentFigures[].class)).hasSize(1);
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(get("/metrics", Role.VIEWER).text())
                    .contains("millrace_segment_acknowledged_total{"));
  }

  @Test
  void aBatchWithoutANameGetsOneThatSortsByTime() {
    String first = sendUnnamed().batch();
    String second = sendUnnamed().batch();
    assertThat(first).hasSizeBetween(10, 100).isNotEqualTo(second);
    assertThat(first.substring(0, 9)).isLessThanOrEqualTo(second.substring(0, 9));
  }

  @Test
  void aPatientLeaseIsAnsweredAsSoonAsAnEventIsThere() {
    QueueClient worker = client(worker("alert"));
    LeaseRequest patient = new LeaseRequest(5, null, Duration.ofSeconds(20), "w1");
    CompletableFuture<Lease> waiting =
        CompletableFuture.supplyAsync(() -> worker.lease("alert", patient));
    send(EventMedia.JSON, "{\"late\": true}");
    Lease lease = waiting.orTimeout(15, TimeUnit.SECONDS).join();
    assertThat(lease.events().get(0).data().get("late").asBoolean()).isTrue();
  }

  @Test
  void anEventWhoseLeaseHasEndedIsDeliveredAgain() {
    send(EventMedia.JSON, "1");
    QueueClient worker = client(worker("alert"));
    Lease lost = worker.lease("alert", new LeaseRequest(1, Duration.ofMillis(100), null, null));
    Lease again = worker.lease("alert", new LeaseRequest(1, null, Duration.ofSeconds(20), null));
    assertThat(again.events()).hasSize(1);
    assertThat(worker.acknowledge("alert", new Acknowledgement(receipts(lost))).stale())
        .isEqualTo(receipts(lost));
  }

  @Test
  void deadLettersKeepTheWorkersLastReason() {
    client(Role.PRODUCER).send("alert", "b1", EventMedia.JSON, bytes("{\"bad\":1}"));
    QueueClient worker = client(worker("alert"));
    for (int i = 0; i < 5; i++) {
      Lease lease = worker.lease("alert", new LeaseRequest(1, null, null, null));
      worker.refuse(
          "alert", new Refusal(receipts(lease), RefusalKind.FAILED, null, "exit status 3"));
    }
    DeadEvent[] dead = get("/v1/queues/alert/dead?limit=5", Role.VIEWER).as(DeadEvent[].class);
    assertThat(dead)
        .singleElement()
        .satisfies(
            letter -> {
              assertThat(letter.id()).isEqualTo("b1-0");
              assertThat(letter.reason()).isEqualTo("exit status 3");
              assertThat(letter.data().get("bad").asInt()).isEqualTo(1);
            });
  }

  @Test
  void refusalsNameTheRuleAndStoreNothing() {
    refused(() -> send(EventMedia.LINES, "1\n{"), ErrorCode.MALFORMED_BODY, "line 2");
    refused(() -> send("text/csv", "a"), ErrorCode.UNSUPPORTED_MEDIA_TYPE, EventMedia.ENVELOPES);
    refused(() -> send(EventMedia.JSON, "[]"), ErrorCode.INVALID_REQUEST, "no event");
    refused(
        () -> client(Role.PRODUCER).send("alert", "two words", EventMedia.JSON, bytes("1")),
        ErrorCode.INVALID_REQUEST,
        EventMedia.BATCH_HEADER);
    refused(
        () -> client(Role.PRODUCER).send("nope", "b", EventMedia.JSON, bytes("1")),
        ErrorCode.UNKNOWN_QUEUE,
        "nope");
    refused(
        () -> client(Role.OPERATOR).lease("alert", new LeaseRequest(0, null, null, null)),
        ErrorCode.INVALID_REQUEST,
        "max");
    refused(
        () -> client(Role.OPERATOR).acknowledge("alert", new Acknowledgement(List.of("7"))),
        ErrorCode.INVALID_REQUEST,
        "not a receipt");
    assertThat(client(Role.VIEWER).figures("alert").inserted()).isZero();
  }

  @Test
  void aFullSegmentReturnsARetryDelay() {
    send(EventMedia.LINES, "1\n".repeat(10));
    HttpAnswer answer = post("/v1/queues/alert/events", Role.PRODUCER, "1");
    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.headers()).containsKey("retry-after");
  }

  @Test
  void aWorkersTokenIsValidOnlyForItsQueue() {
    refused(
        () -> client(worker("other")).lease("alert", new LeaseRequest(1, null, null, null)),
        ErrorCode.FORBIDDEN,
        "alert");
    refused(
        () -> client(worker("alert")).send("alert", "b", EventMedia.JSON, bytes("1")),
        ErrorCode.FORBIDDEN,
        "worker");
  }

  @Test
  void noApiRouteAnswersWithoutAValidToken() {
    for (Route route : node.web().routes()) {
      if (!route.open()) {
        String path =
            route
                .path()
                .replace("{queue}", "alert")
                .replace("{worker}", "b3c8f3e0-0000-4000-8000-000000000001")
                .replace("{slot}", "1");
        HttpCall call =
            new HttpCall(
                route.method(),
                node.address().resolve(path),
                Map.of(),
                bytes("{}"),
                Duration.ofSeconds(10));
        assertThat(sent(call).status()).as(route.path()).isEqualTo(401);
      }
    }
  }

  @Test
  void itReportsToTheCentralManagersAndToTheClusterView() {
    send(EventMedia.LINES, "1\n2");
    Awaitility.await()
        .untilAsserted(
            () -> {
              assertThat(central.reports()).isNotEmpty();
              QueueNodeReport report = central.reports().get(central.reports().size() - 1);
              assertThat(report.id()).isEqualTo(node.id());
              assertThat(report.address()).isEqualTo(node.address());
              assertThat(report.load().state()).isNotEqualTo(NodeState.IDLE);
              assertThat(report.segments().get(0).waiting()).isEqualTo(2);
              assertThat(report.segments().get(0).delays()).isNotEmpty();
              QueueNodeReport seen =
                  Json.read(
                      view.entries(ClusterView.QUEUE_NODES).get("q1").json(),
                      QueueNodeReport.class);
              assertThat(seen.segments().get(0).delays()).isEmpty();
            });
  }

  @Test
  void aRestartKeepsIdentityEventsAndLeasesAndNeedsNoCentralManager() {
    send(EventMedia.LINES, "1\n2\n3");
    Lease lease = client(Role.OPERATOR).lease("alert", new LeaseRequest(2, null, null, null));
    UUID id = node.id();
    node.stop();
    assertThat(view.entries(ClusterView.QUEUE_NODES)).isEmpty();

    central.away(true);
    open();
    assertThat(node.id()).isEqualTo(id);
    assertThat(
            client(Role.OPERATOR).acknowledge("alert", new Acknowledgement(receipts(lease))).done())
        .isEqualTo(2);
    send(EventMedia.JSON, "4");
    assertThat(client(Role.OPERATOR).lease("alert", new LeaseRequest(9, null, null, null)).events())
        .hasSize(2);

    central.away(false);
    int heard = central.reports().size();
    Awaitility.await().until(() -> central.reports().size() > heard);
  }

  @Test
  void aNodeFollowsNewWeights() {
    central.publish(
        new Topology(
            "2",
            topology(10).queues(),
            List.of(new QueueWeights("alert", 8, Map.of("q2", 1000))),
            List.of(),
            List.of()));
    Awaitility.await()
        .untilAsserted(
            () -> refused(() -> send(EventMedia.JSON, "1"), ErrorCode.NO_SEGMENT, "version 8"));
  }

  @Test
  void twoNodesCannotShareADataDirectory() {
    assertThatThrownBy(this::openAnother)
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(folder.resolve("q1").toString())
        .hasMessageContaining("open already");
  }

  private void openAnother() {
    QueueNode first = node;
    try {
      open();
    } finally {
      node = first;
    }
  }

  private int batches;

  private void send(String mediaType, String body) {
    batches++;
    client(Role.PRODUCER).send("alert", "batch" + batches, mediaType, bytes(body));
  }

  private SendAnswer sendUnnamed() {
    return post("/v1/queues/alert/events", Role.PRODUCER, "1").as(SendAnswer.class);
  }

  private HttpAnswer post(String path, Role role, String json) {
    HttpCall call =
        HttpCall.post(node.address().resolve(path), EventMedia.JSON, bytes(json))
            .with("Authorization", "Bearer " + token(Principal.of(role, "test")));
    return sent(call);
  }

  private HttpAnswer get(String path, Role role) {
    HttpCall call =
        HttpCall.get(node.address().resolve(path))
            .with("Authorization", "Bearer " + token(Principal.of(role, "test")));
    return sent(call);
  }

  private HttpAnswer sent(HttpCall call) {
    try {
      return transport.send(call);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private QueueClient client(Role role) {
    return client(Principal.of(role, "test"));
  }

  private QueueClient client(Principal principal) {
    String token = token(principal);
    return new QueueClient(
        new ApiClient(transport, new Endpoints(List.of(node.address())), () -> token));
  }

  private static Principal worker(String queue) {
    return Principal.worker(queue, new AttemptId(17, 1));
  }

  private String token(Principal principal) {
    return issuer.issue(principal, Optional.empty());
  }

  private static Topology topology(long maxEvents) {
    QueueDefinition definition =
        new QueueDefinition("alert", 0, 0, 0, null, maxEvents, null, 0, null, null, 0, null, null);
    return new Topology(
        "1",
        List.of(new VersionedQueue(definition, 1)),
        List.of(new QueueWeights("alert", 7, Map.of("q1", 1000))),
        List.of(),
        List.of());
  }

  private static List<String> receipts(Lease lease) {
    return lease.events().stream().map(DeliveredEvent::receipt).toList();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void refused(Runnable call, ErrorCode code, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            MillraceException.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }
}

package io.millrace.queuenode.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.DataSize;
import io.millrace.api.ErrorCode;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.LeaseRequest.Lease;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.data.DiskReserve;
import io.millrace.platform.http.Health;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.Metrics;
import io.millrace.platform.http.WebServer;
import io.millrace.platform.http.WebServer.Callers;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.identity.TokenVerifier;
import io.millrace.platform.lifecycle.Threads;
import io.millrace.queuenode.segment.SegmentNotes;
import io.millrace.queuenode.segment.SegmentService;
import io.millrace.queuenode.store.CommitSettings;
import io.millrace.queuenode.store.GroupCommitter;
import io.millrace.queuenode.store.MemorySegmentStore;
import io.millrace.queuenode.store.SegmentStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The routes over real HTTP, with a store in memory. */
class SegmentRoutesTest {
  @TempDir private Path keys;

  private final SystemClock clock = new SystemClock();
  private final SegmentStore store = new MemorySegmentStore().open(clock);
  private final GroupCommitter<SegmentStore> committer =
      new GroupCommitter<>("q1", store, clock, CommitSettings.defaults());
  private final SegmentService segments =
      new SegmentService(
          "q1",
          store,
          committer,
          new DiskReserve("the disk", new DataSize(1), () -> 1 << 30, clock),
          new SegmentNotes(),
          clock);
  private final ExecutorService callers =
      Executors.newCachedThreadPool(Threads.daemons("test-caller"));
  private final JdkTransport transport = new JdkTransport();
  private TokenIssuer issuer;
  private WebServer web;

  @BeforeEach
  void begin() {
    KeyFiles.ensure(keys);
    issuer = new TokenIssuer(KeyFiles.privateKey(keys), clock);
    web =
        new WebServer(
            WebSettings.loopback(0),
            Callers.withoutNodes(
                new TokenVerifier(
                    KeyFiles.publicKey(keys.resolve(KeyFiles.PUBLIC)), clock, "queue-node/q1")),
            new Health(Map.of()),
            new Metrics("queue-node", "q1"),
            new SegmentRoutes(segments, clock).routes());
    committer.start();
    web.start();
    segments.follow(paused(false));
  }

  private static Topology paused(boolean consuming) {
    QueueDefinition definition =
        new QueueDefinition("alert", 0, 1, 0, null, 0, null, 0, null, null, 0, null, null);
    return new Topology(
        "1",
        List.of(new VersionedQueue(definition, 1)),
        List.of(new QueueWeights("alert", 7, Map.of("q1", 1000))),
        List.of(),
        List.of(new QueueControl("alert", false, consuming, "ada", Instant.EPOCH, null)));
  }

  @AfterEach
  void end() {
    segments.close();
    web.stop();
    callers.shutdown();
    committer.stop();
  }

  @Test
  void delayAndPriorityOfTheRequestApplyToEventsWithoutTheirOwn() {
    send("?delay=1h", "[1]");
    send("?priority=3", "[2]");
    send("", "[3]");
    assertThat(peek("ready")).extracting(PeekedEvent::priority).containsExactly(3, 0);
    assertThat(peek("delayed"))
        .singleElement()
        .satisfies(delayed -> assertThat(delayed.heldSeconds()).isBetween(3_000.0, 3_600.0));
    refused(post("/v1/queues/alert/events?priority=10", Role.PRODUCER, "1"), "priority");
    refused(post("/v1/queues/alert/events?delay=400d", Role.PRODUCER, "1"), "365d");
    refused(get("/v1/queues/alert/peek?state=dead", Role.VIEWER), "leased");
  }

  @Test
  void deadLettersAreListedRequeuedAndDropped() {
    send("", "[1,2,3]");
    for (int i = 0; i < 3; i++) {
      Lease lease = post("/v1/queues/alert/leases", Role.OPERATOR, "{\"max\":1}").as(Lease.class);
      post(
          "/v1/queues/alert/nacks",
          Role.OPERATOR,
          "{\"receipts\":[\""
              + lease.events().get(0).receipt()
              + "\"],\"kind\":\"FAILED\",\"reason\":\"broken\"}");
    }
    DeadEvent[] dead = get("/v1/queues/alert/dead?limit=2", Role.VIEWER).as(DeadEvent[].class);
    assertThat(dead).hasSize(2);
    String last = dead[1].handle().substring("q1/".length());
    assertThat(get("/v1/queues/alert/dead?before=" + last, Role.VIEWER).as(DeadEvent[].class))
        .hasSize(1);

    String one = "{\"handles\":[\"" + dead[0].handle() + "\"]}";
    assertThat(acted("/v1/queues/alert/dead/requeue", one)).isEqualTo(1);
    assertThat(acted("/v1/queues/alert/dead/drop", "{\"reasonContains\":\"broken\"}")).isEqualTo(2);
    refused(post("/v1/queues/alert/dead/drop", Role.OPERATOR, "{}"), "all=true");
    assertThat(acted("/v1/queues/alert/purge", "{\"confirm\":\"alert\",\"waiting\":true}"))
        .isEqualTo(1);
    assertThat(post("/v1/queues/alert/purge", Role.VIEWER, "{}").status()).isEqualTo(403);
  }

  @Test
  void moreWorkersMayWaitThanTheServerHasThreads() {
    String patient = "{\"max\":1,\"patience\":\"20s\"}";
    List<CompletableFuture<HttpAnswer>> waiting =
        IntStream.range(0, 400)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> post("/v1/queues/alert/leases", Role.OPERATOR, patient), callers))
            .toList();
    // Every one of them has been answered empty once, inside, and waits.
    Awaitility.await()
        .atMost(15, TimeUnit.SECONDS)
        .untilAsserted(() -> assertThat(segments.waiting("alert")).isEqualTo(400));
    send("", IntStream.range(0, 400).mapToObj(String::valueOf).toList().toString());
    List<Lease> leases =
        waiting.stream()
            .map(future -> future.orTimeout(15, TimeUnit.SECONDS).join().as(Lease.class))
            .toList();
    assertThat(leases).allSatisfy(lease -> assertThat(lease.events()).hasSize(1));
    assertThat(leases.stream().map(lease -> lease.events().get(0).id()).distinct()).hasSize(400);
  }

  @Test
  void aRefusalReachesWaitingCallers() {
    CompletableFuture<HttpAnswer> waiting =
        CompletableFuture.supplyAsync(
            () ->
                post("/v1/queues/alert/leases", Role.OPERATOR, "{\"max\":1,\"patience\":\"20s\"}"),
            callers);
    Awaitility.await().untilAsserted(() -> assertThat(segments.waiting("alert")).isEqualTo(1));
    // Whoever is woken finds a store that has stopped.
    committer.stop();
    segments.follow(paused(true));
    segments.follow(paused(false));
    HttpAnswer answer = waiting.orTimeout(15, TimeUnit.SECONDS).join();
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.text()).contains(ErrorCode.UNAVAILABLE.name());
  }

  private void send(String query, String json) {
    assertThat(post("/v1/queues/alert/events" + query, Role.PRODUCER, json).status())
        .isEqualTo(200);
  }

  private List<PeekedEvent> peek(String state) {
    return List.of(
        get("/v1/queues/alert/peek?state=" + state, Role.VIEWER).as(PeekedEvent[].class));
  }

  private long acted(String path, String json) {
    return post(path, Role.OPERATOR, json).as(QueueActionAnswer.class).events();
  }

  private static void refused(HttpAnswer answer, String message) {
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text()).contains(message);
  }

  private HttpAnswer post(String path, Role role, String json) {
    return sent(
        HttpCall.post(
            web.address().resolve(path), EventMedia.JSON, json.getBytes(StandardCharsets.UTF_8)),
        role);
  }

  private HttpAnswer get(String path, Role role) {
    return sent(HttpCall.get(web.address().resolve(path)), role);
  }

  private HttpAnswer sent(HttpCall call, Role role) {
    String token = issuer.issue(Principal.of(role, "test"), Optional.empty());
    try {
      return transport.send(
          call.with("Authorization", "Bearer " + token).within(Duration.ofSeconds(30)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

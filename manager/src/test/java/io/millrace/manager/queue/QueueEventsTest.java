package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.event.DeadEvent;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.PeekedEvent;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.api.event.QueueActionAnswer.PurgeRequest;
import io.millrace.api.insight.FailureGroups;
import io.millrace.manager.queue.QueueEvents.Found;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.SignedCalls;
import io.millrace.platform.identity.CallSigner;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenVerifier;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueueEventsTest {
  private static final Instant T = Instant.parse("2030-01-01T00:00:00Z");

  private static final Principal ANN = Principal.of(Role.VIEWER, "ann");

  @TempDir Path folder;
  private final SegmentHosts hosts = new SegmentHosts();
  private SegmentCalls calls;
  private QueueWorld world;
  private TokenVerifier q1;
  private QueueEvents events;

  @BeforeEach
  void threeNodesOfWhichTwoHoldTheQueue() {
    world = new QueueWorld(folder.resolve("database"));
    Path tokens = folder.resolve("tokens");
    KeyFiles.ensure(tokens);
    SystemClock clock = new SystemClock();
    q1 =
        new TokenVerifier(
            KeyFiles.publicKey(tokens.resolve(KeyFiles.PUBLIC)),
            clock,
            NodeIdentity.audience(Role.QUEUE_NODE, "q1"));
    hosts.nonce(q1.calls().nonce());
    CallSigner signer = CallSigner.ofCentralManager(KeyFiles.privateKey(tokens));
    calls = new SegmentCalls(new SignedCalls(hosts, signer, clock));
    events = new QueueEvents(world.queues, world.nodes, calls);
    world.apply("{kind: queue, name: alert}");
    world.report("q1", QueueWorld.segment("alert", "q1", 5, 5));
    world.report("q2", QueueWorld.segment("alert", "q2", 5, 5));
    world.report("q3", QueueWorld.segment("order", "q3", 5, 5));
  }

  @AfterEach
  void close() {
    calls.stop();
    world.close();
  }

  @Test
  void deadLettersOfAllNodesComeNewestFirstPageByPageEachOnce() {
    hosts.answers("q1", call -> page(call, "q1", 90, 70, 50, 30, 10));
    hosts.answers("q2", call -> page(call, "q2", 80, 79, 78, 20));
    List<String> seen = new ArrayList<>();
    String before = null;
    int pages = 0;
    do {
      Found<DeadEvent> page = events.dead("alert", 2, before, ANN);
      page.events().forEach(event -> seen.add(event.handle()));
      before = page.next();
      pages++;
    } while (before != null && pages < 20);

    assertThat(seen)
        .containsExactly(
            "q1/90", "q2/80", "q2/79", "q2/78", "q1/70", "q1/50", "q1/30", "q2/20", "q1/10");
  }

  @Test
  void deadLettersOfAllNodesAreGroupedByCauseAndASilentNodeIsNamed() {
    hosts.answers("q1", call -> page(call, "q1", 90, 70, 50));
    FailureGroups groups = events.deadGroups("alert", ANN);

    assertThat(groups.failures()).isEqualTo(3);
    assertThat(groups.unreached()).containsExactly("q2");
    assertThat(groups.groups())
        .singleElement()
        .satisfies(group -> assertThat(group.items()).containsExactly("q1/90", "q1/70", "q1/50"));
  }

  @Test
  void aNodeThatDoesNotAnswerIsNamedAndTheOthersAreShown() {
    hosts.answers("q1", call -> page(call, "q1", 90));
    Found<DeadEvent> found = events.dead("alert", 10, null, ANN);

    assertThat(found.events()).extracting(DeadEvent::handle).containsExactly("q1/90");
    assertThat(found.unreached()).containsExactly("q2");
  }

  @Test
  void onlyNodesThatHoldTheQueueAreAskedAndTheySeeWhoActs() {
    hosts.answers("q1", call -> List.of());
    hosts.answers("q2", call -> List.of());
    events.dead("alert", 10, null, ANN);

    assertThat(hosts.calls).extracting(call -> call.uri().getHost()).containsOnly("q1", "q2");
    Map<String, Optional<Principal>> callers = new TreeMap<>();
    for (HttpCall call : hosts.calls) {
      String token = call.headers().get("Authorization").substring("Millrace ".length());
      String path = CallSigner.path(call.uri());
      callers.put(call.uri().getHost(), q1.calls().verify(token, "GET", path));
    }
    // The call to q2 is worth nothing at q1.
    assertThat(callers).isEqualTo(Map.of("q1", Optional.of(ANN), "q2", Optional.empty()));
  }

  @Test
  void allNodesAreAskedAtOnce() {
    CyclicBarrier together = new CyclicBarrier(2);
    for (String host : List.of("q1", "q2")) {
      hosts.answers(
          host,
          call -> {
            meet(together);
            return new QueueActionAnswer(3, null);
          });
    }
    assertThat(events.requeue("alert", everything(null), ANN))
        .isEqualTo(new QueueActionAnswer(6, List.of()));
  }

  @Test
  void handlesGoToTheNodeThatTheyNameAndToNoOther() {
    hosts.answers("q1", call -> new QueueActionAnswer(handles(call).size(), null));
    hosts.answers("q2", call -> new QueueActionAnswer(100, null));
    DeadSelection selection =
        new DeadSelection(List.of("q1/7", "q1/9", "q7/1"), null, null, null, false, null);

    assertThat(events.drop("alert", selection, ANN))
        .isEqualTo(new QueueActionAnswer(2, List.of("q7")));
    assertThat(hosts.calls)
        .singleElement()
        .satisfies(
            call -> {
              assertThat(call.uri()).hasToString("http://q1:1/v1/queues/alert/dead/drop");
              assertThat(handles(call)).containsExactly("q1/7", "q1/9");
            });
  }

  @Test
  void aLimitHoldsOverAllNodesTogether() {
    hosts.answers("q1", call -> new QueueActionAnswer(Math.min(4, selection(call).max()), null));
    hosts.answers("q2", call -> new QueueActionAnswer(Math.min(9, selection(call).max()), null));

    assertThat(events.requeue("alert", everything(7), ANN).events()).isEqualTo(7);
    assertThat(hosts.calls).extracting(call -> selection(call).max()).containsExactly(7, 3);
  }

  @Test
  void anUnboundedSelectionIsRefusedBeforeAnyNodeIsAsked() {
    DeadSelection nothingSaid = new DeadSelection(null, null, null, null, false, null);
    refused(ErrorCode.INVALID_REQUEST, () -> events.drop("alert", nothingSaid, ANN));
    refused(
        ErrorCode.INVALID_REQUEST,
        () -> events.purge("alert", new PurgeRequest("alarm", true, true, true), ANN));
    refused(ErrorCode.UNKNOWN_QUEUE, () -> events.peek("alarm", 5, null, ANN));
    assertThat(hosts.calls).isEmpty();
  }

  @Test
  void aNodeWithoutTheSegmentHasNothingAndOneThatIsStoppingCountsAsUnreached() {
    hosts.answers("q1", call -> new MillraceException(ErrorCode.UNKNOWN_SEGMENT, "not here"));
    hosts.answers("q2", call -> new MillraceException(ErrorCode.UNAVAILABLE, "stopping"));

    assertThat(events.purge("alert", new PurgeRequest("alert", true, false, false), ANN))
        .isEqualTo(new QueueActionAnswer(0, List.of("q2")));
  }

  @Test
  void aNodeThatHasNoRoomForAllEndsThePageSoThatNoLetterIsOutOfOrder() {
    hosts.answers(
        "q1",
        call -> {
          List<DeadEvent> fitting = page(call, "q1", 90, 70, 50, 30, 10);
          return fitting.size() > 2 ? new SegmentHosts.Cut(fitting.subList(0, 2)) : fitting;
        });
    hosts.answers("q2", call -> page(call, "q2", 80, 20));
    Found<DeadEvent> first = events.dead("alert", 100, null, ANN);
    Found<DeadEvent> second = events.dead("alert", 100, first.next(), ANN);
    Found<DeadEvent> third = events.dead("alert", 100, second.next(), ANN);

    assertThat(List.of(first, second, third))
        .extracting(found -> found.events().stream().map(DeadEvent::handle).toList())
        .containsExactly(
            List.of("q1/90", "q2/80", "q1/70"),
            List.of("q1/50", "q1/30"),
            List.of("q2/20", "q1/10"));
    assertThat(third.next()).isNull();
  }

  @Test
  void aServerThatRefusesTheCentralManagerCountsAsUnreached() {
    hosts.answers("q1", call -> page(call, "q1", 90));
    for (ErrorCode code : List.of(ErrorCode.UNAUTHENTICATED, ErrorCode.FORBIDDEN)) {
      hosts.answers("q2", call -> new MillraceException(code, "a token is required"));
      Found<DeadEvent> found = events.dead("alert", 10, null, ANN);

      assertThat(found.events()).extracting(DeadEvent::handle).containsExactly("q1/90");
      assertThat(found.unreached()).containsExactly("q2");
    }
  }

  @Test
  void aNodeThatHasNotReportedSinceARestorationIsNotCalled() {
    hosts.answers("q1", call -> page(call, "q1", 90));
    hosts.answers("q2", call -> page(call, "q2", 80));
    world.forgetAddress("q2");
    Found<DeadEvent> found = events.dead("alert", 10, null, ANN);

    assertThat(found.events()).extracting(DeadEvent::handle).containsExactly("q1/90");
    assertThat(found.unreached()).containsExactly("q2");
  }

  @Test
  void aNodesRefusalOfTheRequestIsTheAnswer() {
    hosts.answers("q1", call -> new MillraceException(ErrorCode.INVALID_REQUEST, "olderThan: no"));
    hosts.answers("q2", call -> new QueueActionAnswer(1, null));

    refused(ErrorCode.INVALID_REQUEST, () -> events.drop("alert", everything(null), ANN));
  }

  @Test
  void peekedEventsComeFirstInLineFirst() {
    hosts.answers("q1", call -> List.of(peeked("a", 5, 10), peeked("c", 0, 90)));
    hosts.answers("q2", call -> List.of(peeked("b", 5, 9), peeked("d", 0, 20)));

    assertThat(events.peek("alert", 3, "ready", ANN).events())
        .extracting(PeekedEvent::id)
        .containsExactly("a", "b", "c");
    assertThat(hosts.calls.get(0).uri().getQuery()).isEqualTo("limit=3&state=ready");
  }

  @Test
  void aNodeThatShowsLettersOfAnotherIsNotBelieved() {
    hosts.answers("q1", call -> List.of(dead("q2", 20), dead("q1", 10)));
    hosts.answers("q2", call -> page(call, "q2", 20));
    assertThat(events.dead("alert", 10, null, ANN))
        .satisfies(
            found ->
                assertThat(found.events()).extracting(DeadEvent::handle).containsExactly("q2/20"))
        .satisfies(found -> assertThat(found.unreached()).containsExactly("q1"));
  }

  @Test
  void anAnswerThatNoQueueNodeGivesHidesNotThoseOfOthers() {
    hosts.answers("q2", call -> List.of(peeked("a", 1, 1), peeked("b", 1, 2)));
    for (Object answer : List.of(Arrays.asList(null, null), "x", Map.of(), List.of(List.of()))) {
      hosts.answers("q1", call -> answer);
      Found<PeekedEvent> found = events.peek("alert", 10, null, ANN);
      assertThat(found.events()).as("%s", answer).hasSize(2);
      assertThat(found.unreached()).as("%s", answer).containsExactly("q1");
    }

    hosts.answers("q1", call -> List.of());
    hosts.answers("q2", call -> new QueueActionAnswer(3, null));
    assertThat(events.requeue("alert", everything(null), ANN))
        .isEqualTo(new QueueActionAnswer(3, List.of("q1")));
  }

  private static void refused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(MillraceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private static DeadSelection everything(Integer max) {
    return new DeadSelection(null, null, null, null, true, max);
  }

  private static DeadSelection selection(HttpCall call) {
    return Json.read(call.body(), DeadSelection.class);
  }

  private static List<String> handles(HttpCall call) {
    return selection(call).handles();
  }

  /** As a queue node pages: those before the number asked for, at most as many as asked for. */
  private static List<DeadEvent> page(HttpCall call, String node, long... numbers) {
    long limit = parameter(call, "limit", 0);
    long before = parameter(call, "before", Long.MAX_VALUE);
    return Arrays.stream(numbers)
        .filter(number -> number < before)
        .limit(limit)
        .mapToObj(number -> dead(node, number))
        .toList();
  }

  private static long parameter(HttpCall call, String name, long usual) {
    return Stream.of(call.uri().getQuery().split("&"))
        .filter(pair -> pair.startsWith(name + "="))
        .mapToLong(pair -> Long.parseLong(pair.substring(name.length() + 1)))
        .findFirst()
        .orElse(usual);
  }

  private static DeadEvent dead(String node, long number) {
    return new DeadEvent(
        node + "/" + number,
        "event-" + number,
        "alert",
        node,
        5,
        0,
        "poison",
        T.plusSeconds(number),
        null,
        TextNode.valueOf("x"));
  }

  private static PeekedEvent peeked(String id, int priority, double age) {
    return new PeekedEvent(
        id, "alert", "q1", "ready", priority, age, 0, 0, 0, null, TextNode.valueOf("x"), null);
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IllegalStateException("the nodes are not asked at once", e);
    }
  }
}

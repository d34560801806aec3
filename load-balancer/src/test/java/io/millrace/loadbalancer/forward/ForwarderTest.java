package io.millrace.loadbalancer.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.Topology.QueueNodeAddress;
import io.millrace.loadbalancer.FakeNodes;
import io.millrace.platform.clock.ManualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ForwarderTest {
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final ForwardMeters meters = new ForwardMeters(registry);
  private final Chooser chooser = new Chooser(clock, null, meters::skipped);
  private final FakeNodes nodes = new FakeNodes();
  private final Forwarder forwarder = new Forwarder(node -> nodes, chooser, meters, clock);

  ForwarderTest() {
    chooser.follow(Targets.of(FakeNodes.topology(Map.of("q1", 500, "q2", 500))));
  }

  @Test
  void batchesAreSpreadByWeightAndChargedPerEvent() {
    for (int i = 0; i < 10; i++) {
      forwarder.forward(batch("b" + i, 10));
    }
    assertThat(nodes.stored()).containsEntry("q1", 50).containsEntry("q2", 50);
    assertThat(meters.accepted()).isEqualTo(100);
  }

  @Test
  void batchGoesElsewhereWhenTheNodeWasNotReachedAndTheNodeIsLeftAloneForAWhile() {
    nodes.fail("q1", new NothingSentException("refused", null));
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q2");
    assertThat(forwarder.forward(batch("b2", 1)).node()).isEqualTo("q2");
    assertThat(nodes.calls()).containsExactly("q1:b1", "q2:b1", "q2:b2");

    clock.advance(Duration.ofSeconds(1));
    List<String> afterThePause =
        List.of(forwarder.forward(batch("b3", 1)).node(), forwarder.forward(batch("b4", 1)).node());
    assertThat(afterThePause).as("one of them is the probe").contains("q1");
  }

  @Test
  void afterAnUnknownOutcomeTheSameNodeIsAskedFirstUnderTheSameName() {
    nodes.fail("q1", new IOException("broken pipe"));
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q1");
    assertThat(nodes.calls()).containsExactly("q1:b1", "q1:b1");
  }

  @Test
  void onlyWhenTheSameNodeIsSilentAgainAnotherGetsTheBatch() {
    nodes.fail("q1", new IOException("broken pipe"));
    nodes.fail("q1", new IOException("still broken"));
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q2");
    assertThat(nodes.calls()).containsExactly("q1:b1", "q1:b1", "q2:b1");
  }

  @Test
  void mistakesOfTheProducerAreAnsweredByTheFirstNode() {
    nodes.refuse("q1", ErrorCode.MALFORMED_BODY);
    assertThatThrownBy(() -> forwarder.forward(batch("b1", 1)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.MALFORMED_BODY));
    assertThat(nodes.calls()).containsExactly("q1:b1");
  }

  @Test
  void aRefusalOfTheLoadBalancerItselfIsNotPassedOnToTheProducer() {
    nodes.refuse("q1", ErrorCode.UNAUTHENTICATED);
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q2");
    assertThat(forwarder.forward(batch("b2", 1)).node()).as("q1 has a pause").isEqualTo("q2");

    clock.advance(Duration.ofMinutes(1));
    nodes.refuse("q1", ErrorCode.FORBIDDEN);
    nodes.refuse("q2", ErrorCode.UNAUTHENTICATED);
    assertThatThrownBy(() -> forwarder.forward(batch("b3", 1)))
        .hasMessageContaining("refuses this load balancer")
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.UNAVAILABLE));
  }

  @Test
  void aRefusalOfTheLoadBalancerItselfDoesNotProveThatTheNodeDoesNotHaveTheBatch() {
    nodes.fail("q1", new IOException("broken pipe"));
    nodes.refuse("q1", ErrorCode.UNAUTHENTICATED);
    nodes.fail("q2", new NothingSentException("refused", null));
    assertThatThrownBy(() -> forwarder.forward(batch("b1", 1)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.TIMEOUT));
  }

  @Test
  void aFullSegmentSendsTheBatchToAnotherAndAllFullIsReported() {
    nodes.refuse("q1", ErrorCode.QUEUE_FULL);
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q2");

    nodes.refuse("q1", ErrorCode.QUEUE_FULL);
    nodes.refuse("q2", ErrorCode.QUEUE_FULL);
    assertThatThrownBy(() -> forwarder.forward(batch("b2", 1)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.QUEUE_FULL));
  }

  @Test
  void unknownQueueAndQueueWithoutSegmentsSayWhatToDo() {
    assertThatThrownBy(
            () -> forwarder.forward(new Batch("nope", "b", true, EventMedia.JSON, "", body(1))))
        .hasMessageContaining("'nope'")
        .hasMessageContaining("millrace apply");
    chooser.follow(new Targets(Map.of(), Map.of(), Set.of("alert"), Map.of(), true));
    assertThatThrownBy(() -> forwarder.forward(batch("b1", 1)))
        .hasMessageContaining("no queue node accepts events of 'alert'");
  }

  @Test
  void beforeTheFirstTopologyRequestsAreRefusedWithTheReason() {
    Forwarder fresh =
        new Forwarder(node -> nodes, new Chooser(clock, null, node -> {}), meters, clock);
    assertThatThrownBy(() -> fresh.forward(batch("b1", 1))).hasMessageContaining("central manager");
  }

  @Test
  void repetitionOfNamedBatchGoesToTheNodeThatHasItAndIsNotChargedAgain() {
    String first = forwarder.forward(batch("b1", 100)).node();
    for (int i = 0; i < 20; i++) {
      assertThat(forwarder.forward(batch("b1", 100)).node()).isEqualTo(first);
    }
    assertThat(forwarder.forward(batch("b2", 1)).node()).as("the other's turn").isNotEqualTo(first);
  }

  @Test
  void repetitionWhoseNodeIsAwayIsAnsweredFromMemoryAndMakesNoDuplicate() {
    SendAnswer first = forwarder.forward(batch("b1", 3));
    nodes.fail(first.node(), new NothingSentException("refused", null));

    SendAnswer again = forwarder.forward(batch("b1", 3));

    assertThat(again).isEqualTo(new SendAnswer("alert", "b1", 3, true, first.node()));
    assertThat(nodes.stored()).hasSize(1);
  }

  @Test
  void namesAreForgottenAfterTenMinutes() {
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q1");
    clock.advance(Duration.ofMinutes(10));
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q2");
  }

  @Test
  void nameThatTheProducerDoesNotKnowIsRememberedOnlyWhenItsOutcomeIsUnknown() {
    nodes.fail("q1", new IOException("broken pipe"));
    nodes.fail("q1", new IOException("still broken"));
    nodes.refuse("q2", ErrorCode.QUEUE_FULL);
    Batch unnamed = new Batch("alert", "made", false, EventMedia.LINES, "", body(1));

    assertCode(() -> forwarder.forward(unnamed), ErrorCode.TIMEOUT);

    assertThat(forwarder.forward(batch("made", 1)).node()).as("asked first").isEqualTo("q1");
  }

  @Test
  void possibleDuplicatesAreCountedInEvents() {
    nodes.fail("q1", new IOException("broken pipe"));
    nodes.fail("q1", new IOException("still broken"));
    forwarder.forward(batch("b1", 7));
    assertThat(
            registry
                .get("millrace.balancer.events.possibly.duplicated")
                .tag("queue", "alert")
                .counter()
                .count())
        .isEqualTo(7);
  }

  @Test
  void afterAnUnknownOutcomeTheSameNodeIsAskedFirstWhateverItsWeightIsNow() {
    assertThat(unknownAtBoth("b1")).isEqualTo(ErrorCode.TIMEOUT);
    Targets both = Targets.of(FakeNodes.topology(Map.of("q1", 500, "q2", 500)));
    Map<String, Map<String, Integer>> drained = Map.of("alert", Map.of("q2", 1000));
    chooser.follow(
        new Targets(drained, both.addresses(), both.queues(), both.closed(), both.received()));

    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q1");
    assertThat(possiblyDuplicated()).isZero();
  }

  @Test
  void repetitionAfterAnUnknownOutcomeReachesItsNodeThoughTheQueueIsPausedNow() {
    assertThat(unknownAtBoth("b1")).isEqualTo(ErrorCode.TIMEOUT);
    chooser.follow(paused(Map.of("q1", 500, "q2", 500)));

    forwarder.check(batch("b1", 1));
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q1");
    assertCode(() -> forwarder.forward(batch("b2", 1)), ErrorCode.QUEUE_PAUSED);
    assertCode(() -> forwarder.check(batch("b2", 1)), ErrorCode.QUEUE_PAUSED);
  }

  @Test
  void repetitionThatItsNodeDoesNotKnowIsRefusedAsPaused() {
    assertThat(unknownAtBoth("b1")).isEqualTo(ErrorCode.TIMEOUT);
    chooser.follow(paused(Map.of("q1", 500, "q2", 500)));
    nodes.refuse("q1", ErrorCode.NO_SEGMENT);

    assertCode(() -> forwarder.forward(batch("b1", 1)), ErrorCode.QUEUE_PAUSED);
  }

  @Test
  void aPauseDoesNotHideThatTheOutcomeIsUnknown() {
    assertThat(unknownAtBoth("b1")).isEqualTo(ErrorCode.TIMEOUT);
    chooser.follow(paused(Map.of("q1", 500, "q2", 500)));
    nodes.fail("q1", new NothingSentException("refused", null));
    assertCode(() -> forwarder.forward(batch("b1", 1)), ErrorCode.TIMEOUT);

    chooser.follow(Targets.of(FakeNodes.topology(Map.of("q1", 500, "q2", 500))));
    nodes.fail("q1", new IOException("broken pipe"));
    nodes.fail("q1", new IOException("still broken"));
    nodes.refuse("q2", ErrorCode.QUEUE_PAUSED);
    assertCode(() -> forwarder.forward(batch("b1", 1)), ErrorCode.TIMEOUT);
  }

  @Test
  void aNodeThatCannotTellWhetherItHasTheBatchMayHaveIt() {
    nodes.fail("q1", new IOException("broken pipe"));
    nodes.refuse("q1", ErrorCode.UNAVAILABLE);

    assertThat(forwarder.forward(batch("b1", 7)).node()).isEqualTo("q2");
    assertThat(possiblyDuplicated()).isEqualTo(7);
  }

  @Test
  void aNodeThatKnowsNoSuchNameDoesNotHaveIt() {
    nodes.fail("q1", new IOException("broken pipe"));
    nodes.refuse("q1", ErrorCode.NO_SEGMENT);

    assertThat(forwarder.forward(batch("b1", 7)).node()).isEqualTo("q2");
    assertThat(possiblyDuplicated()).isZero();
  }

  @Test
  void aBatchAtWhichAStoreFailedIsAPossibleDuplicateElsewhere() {
    nodes.refuse("q1", ErrorCode.STORE_FAILURE);

    assertThat(forwarder.forward(batch("b1", 7)).node()).isEqualTo("q2");
    assertThat(possiblyDuplicated()).isEqualTo(7);
  }

  @Test
  void repetitionOfAStoredBatchMakesNoDuplicateWhenItsNodeIsNotRegisteredAnyMore() {
    assertThat(forwarder.forward(batch("b1", 3)).node()).isEqualTo("q1");
    chooser.follow(Targets.of(FakeNodes.topology(Map.of("q2", 1000))));

    assertThat(forwarder.forward(batch("b1", 3)))
        .isEqualTo(new SendAnswer("alert", "b1", 3, true, "q1"));
    assertThat(nodes.stored()).doesNotContainKey("q2");
  }

  @Test
  void aDetourFromANodeThatIsNotRegisteredAnyMoreIsCounted() {
    assertThat(unknownAtBoth("b1")).isEqualTo(ErrorCode.TIMEOUT);
    chooser.follow(Targets.of(FakeNodes.topology(Map.of("q2", 1000))));

    assertThat(forwarder.forward(batch("b1", 7)).node()).isEqualTo("q2");
    assertThat(possiblyDuplicated()).isEqualTo(7);
  }

  @Test
  void anAnswerWithoutTheReceiptOfTheBatchIsNoMistakeOfTheProducer() {
    for (String answer :
        List.of(
            "[]",
            "null",
            "receipt",
            receipt("other", "b1", 1),
            receipt("alert", "other", 1),
            receipt("alert", "b1", -1),
            receipt("alert", "b1", 1_000_000))) {
      Chooser fresh = new Chooser(clock, null, node -> {});
      fresh.follow(Targets.of(FakeNodes.topology(Map.of("q1", 500, "q2", 500))));
      nodes.answer("q1", answer);

      SendAnswer sent = new Forwarder(node -> nodes, fresh, meters, clock).forward(batch("b1", 1));

      assertThat(sent.node()).as(answer).isEqualTo("q2");
    }
    assertThat(nodes.stored()).containsOnlyKeys("q2");
    assertThat(possiblyDuplicated()).isEqualTo(7);
  }

  @Test
  void aNodeSpeaksOfNoOtherNodeInItsReceipts() {
    nodes.answer("q1", receipt("alert", "b1", 1));

    assertThat(forwarder.forward(batch("b1", 1)))
        .isEqualTo(new SendAnswer("alert", "b1", 1, false, "q1"));
  }

  private static String receipt(String queue, String batch, int accepted) {
    return Json.write(new SendAnswer(queue, batch, accepted, false, "q2"));
  }

  /** The first node breaks off twice, the other has no room: what the producer hears. */
  private ErrorCode unknownAtBoth(String batch) {
    nodes.fail("q1", new IOException("broken pipe"));
    nodes.fail("q1", new IOException("still broken"));
    nodes.refuse("q2", ErrorCode.QUEUE_FULL);
    MillraceException problem =
        catchThrowableOfType(MillraceException.class, () -> forwarder.forward(batch(batch, 1)));
    return problem.code();
  }

  private static Targets paused(Map<String, Integer> points) {
    Topology topology = FakeNodes.topology(points);
    QueueControl pause = new QueueControl("alert", true, false, "ann", Instant.EPOCH, "incident 7");
    return Targets.of(
        new Topology(
            "v2", topology.queues(), topology.weights(), topology.nodes(), List.of(pause)));
  }

  private double possiblyDuplicated() {
    Counter counter = registry.find("millrace.balancer.events.possibly.duplicated").counter();
    return counter == null ? 0 : counter.count();
  }

  @Test
  void timeoutThatNodeTellsIsUnknownOutcomeAndTheNodeIsAskedFirstNextTime() {
    nodes.refuse("q1", ErrorCode.TIMEOUT);
    assertCode(() -> forwarder.forward(batch("b1", 1)), ErrorCode.TIMEOUT);
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q1");
  }

  @Test
  void pausedQueueIsRefusedWithoutAskingAnyNode() {
    Topology topology = FakeNodes.topology(Map.of("q1", 1000));
    QueueControl pause = new QueueControl("alert", true, false, "ann", Instant.EPOCH, "incident 7");
    chooser.follow(
        Targets.of(
            new Topology(
                "v2", topology.queues(), topology.weights(), topology.nodes(), List.of(pause))));

    assertThatThrownBy(() -> forwarder.forward(batch("b1", 1)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.QUEUE_PAUSED))
        .hasMessageContaining("ann")
        .hasMessageContaining("incident 7")
        .hasMessageContaining("millrace queue resume alert");
    assertThat(nodes.calls()).isEmpty();
  }

  @Test
  void aQueueThatIsBeingDeletedIsRefusedWithoutAskingAnyNode() {
    chooser.follow(deleting(Map.of("q1", 1000), false));
    assertThatThrownBy(() -> forwarder.forward(batch("b1", 1)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.QUEUE_DELETING))
        .hasMessageContaining("millrace queue show alert");
    assertThat(nodes.calls()).isEmpty();

    // Of an earlier queue of that name.
    chooser.follow(deleting(Map.of("q1", 1000), true));
    assertThat(forwarder.forward(batch("b2", 1)).node()).isEqualTo("q1");
  }

  @Test
  void aQueueThatWasCreatedAgainIsNotRefusedForTheDeletionOfAnEarlierVersion() {
    chooser.follow(deleting(Map.of("q1", 1000), 0, false));
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q1");
  }

  @Test
  void aNodeThatLearnsOfTheDeletionFirstDoesNotAnswerForAnotherThatMayHaveStoredTheBatch() {
    nodes.fail("q1", new IOException("broken"));
    nodes.fail("q1", new IOException("still broken"));
    nodes.refuse("q2", ErrorCode.QUEUE_DELETING);
    assertCode(() -> forwarder.forward(batch("b1", 1)), ErrorCode.TIMEOUT);
  }

  private static Targets deleting(Map<String, Integer> points, boolean done) {
    return deleting(points, 1, done);
  }

  private static Targets deleting(Map<String, Integer> points, int version, boolean done) {
    Topology topology = FakeNodes.topology(points);
    return Targets.of(
        new Topology(
            "v3",
            topology.queues(),
            topology.weights(),
            topology.nodes(),
            List.of(),
            List.of(),
            List.of(),
            List.of(new QueueDeletion("alert", version, DeletionMode.DRAIN, done))));
  }

  @Test
  void ofSeveralRefusalsTheMostTellingOneIsAnswered() {
    nodes.refuse("q1", ErrorCode.UNAVAILABLE);
    nodes.refuse("q2", ErrorCode.RATE_LIMITED);
    assertCode(() -> forwarder.forward(batch("b1", 1)), ErrorCode.RATE_LIMITED);

    nodes.refuse("q1", ErrorCode.QUEUE_FULL);
    nodes.refuse("q2", ErrorCode.DISK_FULL);
    assertCode(() -> forwarder.forward(batch("b2", 1)), ErrorCode.QUEUE_FULL);
  }

  @Test
  void definedQueueThatNoNodeHasHeardOfYetIsNotCalledUnknown() {
    nodes.refuse("q1", ErrorCode.UNKNOWN_QUEUE);
    nodes.refuse("q2", ErrorCode.UNKNOWN_QUEUE);
    assertCode(() -> forwarder.forward(batch("b1", 1)), ErrorCode.NO_SEGMENT);
  }

  @Test
  void nodeThatIsNotRegisteredGetsNothingWhateverItsWeight() {
    Topology topology = FakeNodes.topology(Map.of("q1", 500, "q2", 500));
    List<QueueNodeAddress> onlyQ2 =
        topology.nodes().stream().filter(node -> node.name().equals("q2")).toList();
    chooser.follow(
        Targets.of(new Topology("v2", topology.queues(), topology.weights(), onlyQ2, List.of())));
    for (int i = 0; i < 10; i++) {
      assertThat(forwarder.forward(batch("b" + i, 1)).node()).isEqualTo("q2");
    }
  }

  @Test
  void nodeWhoseIdentityWasWithdrawnGetsNothingFromTheNextTopologyOn() {
    Topology before = FakeNodes.topology(Map.of("q1", 500, "q2", 500));
    List<UUID> q1 =
        before.nodes().stream()
            .filter(node -> node.name().equals("q1"))
            .map(QueueNodeAddress::id)
            .toList();
    chooser.follow(
        Targets.of(
            new Topology(
                "v2",
                before.queues(),
                before.weights(),
                before.nodes(),
                List.of(),
                List.of(),
                q1,
                List.of())));
    for (int i = 0; i < 10; i++) {
      assertThat(forwarder.forward(batch("b" + i, 1)).node()).isEqualTo("q2");
    }
  }

  @Test
  void nodeThatReturnedIsProbedAtOnce() {
    nodes.fail("q1", new NothingSentException("refused", null));
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q2");

    chooser.returned("q1");

    List<String> next =
        List.of(forwarder.forward(batch("b2", 1)).node(), forwarder.forward(batch("b3", 1)).node());
    assertThat(next).contains("q1");
  }

  @Test
  void delayAndPriorityReachTheNode() {
    forwarder.forward(
        new Batch("alert", "b1", true, EventMedia.LINES, "?delay=10s&priority=3", body(1)));
    assertThat(nodes.queries()).containsExactly("delay=10s&priority=3");
  }

  private static void assertCode(ThrowingCallable call, ErrorCode code) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            MillraceException.class, problem -> assertThat(problem.code()).isEqualTo(code));
  }

  private static Batch batch(String name, int events) {
    return new Batch("alert", name, true, EventMedia.LINES, "", body(events));
  }

  private static byte[] body(int events) {
    return "1\n".repeat(events).getBytes(StandardCharsets.UTF_8);
  }
}

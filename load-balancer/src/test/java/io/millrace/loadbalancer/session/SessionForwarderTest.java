package io.millrace.loadbalancer.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.api.session.SessionKey;
import io.millrace.loadbalancer.SlotNodes;
import io.millrace.loadbalancer.forward.Batch;
import io.millrace.loadbalancer.forward.BatchCall;
import io.millrace.loadbalancer.forward.ForwardMeters;
import io.millrace.loadbalancer.forward.Targets;
import io.millrace.loadbalancer.session.NodeTurn.TurnCalls;
import io.millrace.loadbalancer.session.SessionSettlement.SettlementLimits;
import io.millrace.platform.clock.ManualClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SessionForwarderTest {
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final ForwardMeters meters = new ForwardMeters(registry);
  private final SlotNodes nodes = new SlotNodes(Map.of("q1", 500, "q2", 500));
  private final SlotDirectory directory = new SlotDirectory();
  private final SessionForwarder forwarder = forwarder(1);
  private final String one = nodes.keyOf("q1", 0);
  private final String other = nodes.keyOf("q1", 1);
  private final String two = nodes.keyOf("q2", 0);

  SessionForwarderTest() {
    publish();
  }

  @AfterEach
  void stop() {
    forwarder.stop();
  }

  @Test
  void eachEventGoesToTheOwnerOfItsSlotUnderItsPlaceInTheWholeBatch() {
    SendAnswer answer = forwarder.forward(json("b", one, two, one, two, other));

    assertThat(answer).isEqualTo(new SendAnswer("orders", "b", 5, false, "q1,q2"));
    assertThat(nodes.calls()).containsExactlyInAnyOrder("q1:b-0,b-2,b-4", "q2:b-1,b-3");
    assertThat(nodes.bodies())
        .allSatisfy(
            call -> {
              assertThat(call.headers()).containsEntry(EventMedia.BATCH_HEADER, "b");
              assertThat(call.headers()).containsEntry("Content-Type", EventMedia.ENVELOPES);
              assertThat(new String(call.body(), StandardCharsets.UTF_8))
                  .contains("\"slotEpoch\":1}");
            });
    assertThat(meters.accepted()).isEqualTo(5);
  }

  @Test
  void whatTheProducerWroteIsSentAsItIs() {
    String line =
        "{\"id\":\"o-\\\"1\",\"data\":{\"key\":\"%s\",\"n\":1.50},\"attributes\":{\"a\":\"b\"}}";
    forwarder.forward(body("b", EventMedia.ENVELOPES, line.formatted(one)));
    assertThat(new String(nodes.bodies().get(0).body(), StandardCharsets.UTF_8))
        .isEqualTo(line.formatted(one).replace("\"b\"}}", "\"b\"},\"slotEpoch\":1}") + "\n");
  }

  @Test
  void aRepetitionHasTheSameIdsHoweverTheSlotsHaveMoved() {
    forwarder.forward(json("b", one, two, other));
    nodes.move(List.of(slot(other)), "q2");
    publish();
    assertThat(forwarder.forward(json("b", one, two, other)))
        .isEqualTo(new SendAnswer("orders", "b", 3, true, "q1,q2"));
    assertThat(nodes.stored())
        .containsEntry(one, List.of("b-0"))
        .containsEntry(other, List.of("b-2"));
  }

  @Test
  void eventsWithoutKeyAreRefusedAndOthersAreStored() {
    SendAnswer answer =
        forwarder.forward(
            body("b", EventMedia.LINES, "{\"no\":1}\n" + event(one) + "\n{\"key\":null}\n"));
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.refused()).extracting(RefusedEvent::index).containsExactly(0, 2);
    assertThat(answer.refused()).extracting(RefusedEvent::id).containsExactly("b-0", "b-2");
    assertThat(answer.refused())
        .extracting(RefusedEvent::code)
        .containsOnly(ErrorCode.INVALID_REQUEST);
    assertThat(refusedEvents("invalid_request")).isEqualTo(2);
  }

  @Test
  void eventsWhoseKeysOrIdsCannotBeStoredAreRefusedAlone() {
    SendAnswer answer =
        forwarder.forward(
            body(
                "b",
                EventMedia.ENVELOPES,
                "{\"data\":{\"key\":\"\\ud800\"}}\n"
                    + "{\"data\":{\"key\":\"a\\u0000\"}}\n"
                    + "{\"id\":\"\\udc00\",\"data\":{\"key\":\"a\"}}\n"
                    + "{\"data\":"
                    + event(one)
                    + "}\n"));
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.refused()).extracting(RefusedEvent::index).containsExactly(0, 1, 2);
    assertThat(answer.refused())
        .extracting(RefusedEvent::code)
        .containsOnly(ErrorCode.INVALID_REQUEST);
    assertThat(answer.refused().get(0).message()).contains("half of a surrogate pair");
    assertThat(answer.refused().get(2).message()).contains("the event's id");
    assertThat(nodes.stored()).containsOnlyKeys(one);
  }

  @Test
  void afterAnEventWhoseIdCannotBeStoredOthersOfItsKeyAreRefused() {
    String bad = "{\"id\":\"a\\u0000\",\"data\":" + event(one) + "}\n";
    String good = "{\"data\":" + event(one) + "}\n";
    SendAnswer answer = forwarder.forward(body("b", EventMedia.ENVELOPES, good + bad + good));
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.refused())
        .extracting(RefusedEvent::index, RefusedEvent::key, RefusedEvent::code)
        .containsExactly(
            tuple(1, one, ErrorCode.INVALID_REQUEST), tuple(2, one, ErrorCode.INVALID_REQUEST));
  }

  @Test
  void anEventIsNotRefusedForALaterOneOfItsKey() {
    SessionOutcome outcome = new SessionOutcome("orders", "b");
    outcome.refuse(new RefusedEvent(5, "e5", one, ErrorCode.INVALID_REQUEST, "no"));
    assertThat(outcome.refusalBefore(5, one)).isEmpty();
    assertThat(outcome.refusalBefore(4, one)).isEmpty();
    assertThat(outcome.refusalBefore(6, one)).map(RefusedEvent::id).contains("e5");
    outcome.refuse(new RefusedEvent(3, "e3", one, ErrorCode.UNAVAILABLE, "no"));
    assertThat(outcome.refusalBefore(4, one)).map(RefusedEvent::id).contains("e3");
    assertThat(outcome.refusalBefore(6, one)).map(RefusedEvent::id).contains("e3");
  }

  @Test
  void aBatchOfWhichNothingIsStoredForOneReasonIsAProblem() {
    assertThat(problem(() -> forwarder.forward(body("b", EventMedia.JSON, "{\"no\":1}"))))
        .hasMessageContaining("event b-0: the event has no key");
    nodes.refuseKey(one, ErrorCode.SESSIONS_FULL);
    MillraceException full = problem(() -> forwarder.forward(json("b", one, one)));
    assertThat(full.code()).isEqualTo(ErrorCode.SESSIONS_FULL);
    assertThat(full).hasMessageContaining("all 2 events are refused");
  }

  @Test
  void capsRefuseOnlyTheEventsOfTheirKeysInTheOrderOfTheBatch() {
    nodes.refuseKey(one, ErrorCode.SESSIONS_FULL);
    nodes.refuseKey(two, ErrorCode.DUPLICATE);
    SendAnswer answer = forwarder.forward(json("b", two, one, other, one));
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.node()).isEqualTo("q1");
    assertThat(answer.refused())
        .extracting(RefusedEvent::index, RefusedEvent::key, RefusedEvent::code)
        .containsExactly(
            tuple(0, two, ErrorCode.DUPLICATE),
            tuple(1, one, ErrorCode.SESSIONS_FULL),
            tuple(3, one, ErrorCode.SESSIONS_FULL));
  }

  @Test
  void delaysAndPrioritiesAreRefusedWithTheWholeBatch() {
    for (String with : List.of("\"delay\":\"1s\"", "\"priority\":1")) {
      String lines = "{\"data\":" + event(one) + "}\n{\"data\":" + event(one) + "," + with + "}\n";
      assertThat(problem(() -> forwarder.forward(body("b", EventMedia.ENVELOPES, lines))).code())
          .isEqualTo(ErrorCode.INVALID_REQUEST);
    }
    Batch delayed =
        new Batch("orders", "b", true, EventMedia.LINES, "?delay=10s", bytes(event(one)));
    assertThat(problem(() -> forwarder.forward(delayed)))
        .hasMessageContaining("no delay and no priority");
    assertThat(nodes.calls()).isEmpty();
  }

  @Test
  void malformedBodiesAreRefusedWhole() {
    MillraceException problem =
        problem(() -> forwarder.forward(body("b", EventMedia.LINES, event(one) + "\n{\n")));
    assertThat(problem.code()).isEqualTo(ErrorCode.MALFORMED_BODY);
    assertThat(nodes.calls()).isEmpty();
  }

  @Test
  void withoutOwnersNothingIsAccepted() {
    directory.follow(SlotNodes.topology(null), Targets.of(SlotNodes.topology(null)));
    assertThat(forwarder.serves("orders")).isTrue();
    assertThat(problem(() -> forwarder.check("orders")).code()).isEqualTo(ErrorCode.NO_SEGMENT);
    assertThat(problem(() -> forwarder.forward(json("b", one))).code())
        .isEqualTo(ErrorCode.NO_SEGMENT);
    assertThat(forwarder.serves("alert")).isFalse();
  }

  @Test
  void eventsOfAMovedSlotAreSentToTheNewOwnerAsSoonAsItIsKnown() throws Exception {
    nodes.move(List.of(slot(one)), "q2");
    CountDownLatch refused = new CountDownLatch(1);
    nodes.next(
        "q1",
        (call, serve) -> {
          HttpAnswer answer = serve.apply(call);
          refused.countDown();
          return answer;
        });
    Thread balancing =
        new Thread(
            () -> {
              try {
                refused.await(10, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              publish();
            });
    balancing.start();
    SendAnswer answer = forwarder.forward(json("b", one, other, one));
    balancing.join();

    assertThat(answer).isEqualTo(new SendAnswer("orders", "b", 3, false, "q1,q2"));
    assertThat(nodes.stored()).containsEntry(one, List.of("b-0", "b-2"));
    assertThat(nodes.calls()).first().isEqualTo("q1:b-0,b-1,b-2");
    assertThat(nodes.calls()).last().isEqualTo("q2:b-0,b-2");
    assertThat(registry.get("millrace.balancer.session.events.stale").counter().count())
        .isGreaterThanOrEqualTo(2);
  }

  @Test
  void aSlotWhoseNewOwnerIsNotKnownForSecondsIsRefusedAsPassing() {
    nodes.move(List.of(slot(one)), "q2");
    nodes.next("q1", advancing(Duration.ofSeconds(3)));
    nodes.next("q1", advancing(Duration.ofSeconds(3)));
    nodes.next("q1", advancing(Duration.ofSeconds(3)));
    SendAnswer answer = forwarder.forward(json("b", one, other, one));
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.refused()).extracting(RefusedEvent::code).containsOnly(ErrorCode.UNAVAILABLE);
    assertThat(answer.refused().get(0).message()).contains("are being moved");
    assertThat(answer.refused().get(1).message()).contains("an earlier event of its key, b-0");
    assertThat(nodes.calls()).hasSize(3);
  }

  /** The owner may have stored all, some or none of it; the same ids tell. */
  @Test
  void anUnknownOutcomeIsAskedForAtTheOwnerAgain() {
    nodes.next(
        "q1",
        (call, serve) -> {
          serve.apply(SlotNodes.firstOf(call, 2));
          throw new IOException("connection reset");
        });
    SendAnswer answer = forwarder.forward(json("b", one, other, one, two));
    assertThat(answer.accepted()).isEqualTo(4);
    assertThat(nodes.stored()).containsEntry(one, List.of("b-0", "b-2"));
    assertThat(nodes.calls()).doesNotContain("q2:b-0,b-1,b-2");
  }

  @Test
  void anOwnerThatDoesNotAnswerTwiceMayHaveStoredItsEvents() {
    for (int i = 0; i < 2; i++) {
      nodes.next("q1", silent());
    }
    SendAnswer answer = forwarder.forward(json("b", one, two));
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.refused()).extracting(RefusedEvent::code).containsOnly(ErrorCode.TIMEOUT);
    assertThat(answer.refused().get(0).message()).contains("send the same batch again");

    assertThat(forwarder.forward(json("b", one, two)).accepted()).isEqualTo(2);
    assertThat(nodes.stored()).containsEntry(one, List.of("b-0"));
  }

  /** Its disk failed after the write: what was written may be read again after a restart. */
  @Test
  void anOwnerWhoseStoreFailsMayHaveStoredItsEvents() {
    nodes.refuse("q1", ErrorCode.STORE_FAILURE, 2);
    SendAnswer answer = forwarder.forward(json("b", one, two));
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.refused()).extracting(RefusedEvent::code).containsOnly(ErrorCode.TIMEOUT);
    assertThat(answer.refused().get(0).message()).contains("the event may be stored");

    assertThat(forwarder.forward(json("b", one, two)).accepted()).isEqualTo(2);
  }

  @Test
  void anOwnerThatIsNotReachedIsWaitedForButNeverReplaced() {
    for (int i = 0; i < 3; i++) {
      nodes.next("q1", unreached());
    }
    assertThat(forwarder.forward(json("b", one)).node()).isEqualTo("q1");
    assertThat(nodes.calls()).hasSize(4).containsOnly("q1:b-0");

    for (int i = 0; i < 9; i++) {
      nodes.next("q1", unreached());
    }
    MillraceException away = problem(() -> forwarder.forward(json("b2", one)));
    assertThat(away.code()).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(away).hasMessageContaining("queue node q1 does not answer");
  }

  @Test
  void aNodeThatKnowsTheQueueOrItsSlotLaterThanTheBalancerIsAskedAgain() {
    nodes.refuse("q1", ErrorCode.UNKNOWN_QUEUE, 1);
    nodes.refuse("q1", ErrorCode.NO_SEGMENT, 1);
    nodes.refuse("q1", ErrorCode.UNAUTHENTICATED, 1);
    assertThat(forwarder.forward(json("b", one)).accepted()).isEqualTo(1);
  }

  @Test
  void aRefusalOfAWholeRequestIsThatOfItsEvents() {
    nodes.refuse("q1", ErrorCode.DISK_FULL, 1);
    SendAnswer answer = forwarder.forward(json("b", one, two, other));
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.refused()).extracting(RefusedEvent::code).containsOnly(ErrorCode.DISK_FULL);
  }

  @Test
  void anAnswerThatIsNoReceiptOfTheEventsIsAnUnknownOutcome() {
    for (String text :
        List.of(
            "{}",
            "<html>",
            "{\"queue\":\"orders\",\"batch\":\"b\",\"accepted\":2,\"node\":\"q1\"}",
            "{\"queue\":\"orders\",\"batch\":\"b\",\"accepted\":0,\"node\":\"q1\",\"refused\":"
                + "[{\"index\":0,\"id\":\"else\",\"code\":\"DUPLICATE\"}]}")) {
      nodes.next("q1", (call, serve) -> new HttpAnswer(200, Map.of(), bytes(text)));
      assertThat(forwarder.forward(json("b", one)).accepted()).isEqualTo(1);
    }
    assertThat(nodes.calls()).hasSize(8);
  }

  /** A batch of 8 MiB of small events grows by their ids and epochs. */
  @Test
  void largeBatchesAreSentInRequestsThatEachNodeAccepts() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 2_500; i++) {
      keys.add(i % 2 == 0 ? one : other);
    }
    nodes.refuseKey(other, ErrorCode.SESSIONS_FULL);
    SendAnswer answer = forwarder.forward(json("b", keys.toArray(String[]::new)));
    assertThat(answer.accepted()).isEqualTo(1_250);
    assertThat(answer.refused()).hasSize(1_250);
    assertThat(nodes.calls()).hasSize(2);
    assertThat(nodes.calls().get(1))
        .as("no later event of a refused key is sent")
        .doesNotContain("b-1001,");
  }

  @Test
  void aQueueThatIsPausedMeanwhileRefusesWhatIsLeft() {
    nodes.next(
        "q1",
        (call, serve) -> {
          directory.follow(SlotNodes.topology(null), Targets.of(SlotNodes.topology(null)));
          throw new NothingSentException("refused", null);
        });
    SendAnswer answer = forwarder.forward(json("b", two, one));
    assertThat(answer.accepted()).isEqualTo(1);
    assertThat(answer.refused()).extracting(RefusedEvent::code).containsOnly(ErrorCode.NO_SEGMENT);
  }

  @Test
  void whileTooManyRequestsWaitOthersAreAnsweredWithoutWaiting() {
    try (Closing hurried = new Closing(forwarder(0))) {
      nodes.next("q1", unreached());
      SendAnswer away = hurried.forwarder().forward(json("b", one, two));
      assertThat(away.refused()).extracting(RefusedEvent::code).containsOnly(ErrorCode.UNAVAILABLE);
      assertThat(nodes.calls()).hasSize(2);

      nodes.next("q1", silent());
      assertThat(hurried.forwarder().forward(json("b", one)).accepted())
          .as("whether it is stored is asked for")
          .isEqualTo(1);
      nodes.next("q1", silent());
      nodes.next("q1", unreached());
      assertThat(problem(() -> hurried.forwarder().forward(json("c", one))).code())
          .isEqualTo(ErrorCode.TIMEOUT);
    }
  }

  private SessionForwarder forwarder(int mostWaiting) {
    return new SessionForwarder(
        "lb1",
        directory,
        new TurnCalls(new BatchCall(node -> nodes, meters, clock), meters, clock),
        new SettlementLimits(
            mostWaiting,
            Duration.ofSeconds(5),
            Duration.ofSeconds(25),
            Duration.ofMillis(1),
            Duration.ofMillis(1)));
  }

  /** Stops the forwarder at the end. */
  private record Closing(SessionForwarder forwarder) implements AutoCloseable {
    @Override
    public void close() {
      forwarder.stop();
    }
  }

  /** The node is not there for a second. */
  private SlotNodes.Trouble unreached() {
    return (call, serve) -> {
      clock.advance(Duration.ofSeconds(1));
      throw new NothingSentException("refused", null);
    };
  }

  /** The node stores all and its answer is lost. */
  private static SlotNodes.Trouble silent() {
    return (call, serve) -> {
      serve.apply(call);
      throw new IOException("connection reset");
    };
  }

  private SlotNodes.Trouble advancing(Duration time) {
    return (call, serve) -> {
      clock.advance(time);
      return serve.apply(call);
    };
  }

  private double refusedEvents(String code) {
    return registry
        .get("millrace.balancer.session.events.refused")
        .tag("code", code)
        .counter()
        .count();
  }

  private void publish() {
    directory.follow(nodes.topology(), Targets.of(nodes.topology()));
  }

  private static int slot(String key) {
    return SessionKey.slot(key);
  }

  private static MillraceException problem(ThrowingCallable call) {
    return catchThrowableOfType(MillraceException.class, call);
  }

  private static Batch json(String name, String... keys) {
    List<String> events = new ArrayList<>();
    for (String key : keys) {
      events.add(event(key));
    }
    return body(name, EventMedia.JSON, events.toString());
  }

  private static String event(String key) {
    return "{\"key\":\"" + key + "\"}";
  }

  private static Batch body(String name, String mediaType, String body) {
    return new Batch("orders", name, true, mediaType, "", bytes(body));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

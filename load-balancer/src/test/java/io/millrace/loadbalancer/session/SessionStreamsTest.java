package io.millrace.loadbalancer.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.event.SendAnswer.RefusedEvent;
import io.millrace.loadbalancer.SlotNodes;
import io.millrace.loadbalancer.forward.Batch;
import io.millrace.loadbalancer.forward.BatchCall;
import io.millrace.loadbalancer.forward.ForwardMeters;
import io.millrace.loadbalancer.forward.Targets;
import io.millrace.platform.clock.ManualClock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SessionStreamsTest {
  private final ManualClock clock = new ManualClock(Instant.EPOCH);
  private final ForwardMeters meters = new ForwardMeters(new SimpleMeterRegistry());
  private final SlotNodes nodes = new SlotNodes(Map.of("q1", 500, "q2", 500));
  private final SlotDirectory directory = new SlotDirectory();
  private final SessionForwarder forwarder =
      new SessionForwarder(
          "lb1", directory, new BatchCall(node -> nodes, meters, clock), meters, clock);
  private final SessionStreams streams = new SessionStreams(forwarder);
  private final String one = nodes.keyOf("q1", 0);
  private final String other = nodes.keyOf("q1", 1);
  private final String two = nodes.keyOf("q2", 0);

  SessionStreamsTest() {
    directory.follow(nodes.topology(), Targets.of(nodes.topology()));
  }

  @AfterEach
  void stop() {
    forwarder.stop();
  }

  @Test
  void aLongBodyIsStoredInOrderUnderPlacesInTheWhole() {
    SendAnswer answer = send(lines(2_500, i -> i % 2 == 0 ? one : two));

    assertThat(answer).isEqualTo(new SendAnswer("orders", "b", 2_500, false, "q1,q2"));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 2_500; i += 2) {
      expected.add("b-" + i);
    }
    assertThat(nodes.stored().get(one)).isEqualTo(expected);
    assertThat(nodes.bodies()).hasSize(6);
  }

  @Test
  void aRepetitionIsRecognisedAlsoWithAnotherMediaType() {
    send(lines(1_500, i -> one));
    String envelopes = lines(1_500, i -> one).replaceAll("(?m)^(.+)$", "{\"data\":$1}");
    assertThat(streams.send(batch(EventMedia.ENVELOPES), stream(envelopes), -1))
        .isEqualTo(new SendAnswer("orders", "b", 1_500, true, "q1"));
    assertThat(nodes.stored().get(one)).hasSize(1_500);
  }

  @Test
  void aShortBodyIsAnsweredForEachOfItsEvents() {
    nodes.refuseKey(two, ErrorCode.SESSIONS_FULL);
    SendAnswer answer = send(lines(4, i -> i == 2 ? two : one));
    assertThat(answer.accepted()).isEqualTo(3);
    assertThat(answer.refused()).extracting(RefusedEvent::index).containsExactly(2);
  }

  @Test
  void completedKeysAndEventsWithoutKeyAreListedAndTheBodyGoesOn() {
    nodes.refuseKey(two, ErrorCode.DUPLICATE);
    nodes.next(
        "q1",
        (call, serve) -> {
          var answer = serve.apply(call);
          // Forgotten in between, which must not let later events of the key through.
          nodes.refuseKey(two, null);
          return answer;
        });
    SendAnswer answer = send(lines(3_000, i -> i == 5 || i == 2_999 ? two : i == 1_500 ? "" : one));
    assertThat(answer.accepted()).isEqualTo(2_997);
    assertThat(answer.refused())
        .extracting(RefusedEvent::index, RefusedEvent::code)
        .containsExactly(
            tuple(5, ErrorCode.DUPLICATE),
            tuple(1_500, ErrorCode.INVALID_REQUEST),
            tuple(2_999, ErrorCode.DUPLICATE));
    assertThat(nodes.stored()).doesNotContainKey(two);
  }

  @Test
  void aFullQueueEndsTheBodyAndARepetitionGoesOnWhereItEnded() {
    nodes.refuseKey(two, ErrorCode.SESSIONS_FULL);
    String body = lines(3_000, i -> i == 1_500 ? two : one);
    MillraceException full = problem(body);
    assertThat(full.code()).isEqualTo(ErrorCode.SESSIONS_FULL);
    assertThat(full)
        .hasMessageContaining("event b-1500 is refused: refused by q2")
        .hasMessageContaining("1999 events are stored and 1 refused; nothing after line 2000")
        .hasMessageContaining("Send the same body again under the batch name b");

    nodes.refuseKey(two, null);
    assertThat(send(body).accepted()).isEqualTo(3_000);
    assertThat(nodes.stored().get(one)).hasSize(2_999).doesNotHaveDuplicates();
  }

  @Test
  void aRefusalInTheLastPartIsListed() {
    nodes.refuseKey(two, ErrorCode.SESSIONS_FULL);
    SendAnswer answer = send(lines(1_500, i -> i == 1_200 ? two : one));
    assertThat(answer.accepted()).isEqualTo(1_499);
    assertThat(answer.refused()).extracting(RefusedEvent::index).containsExactly(1_200);
  }

  @Test
  void tooManyRefusedEventsEndTheBody() {
    MillraceException problem = problem(lines(20_000, i -> i == 0 ? one : ""));
    assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(problem)
        .hasMessageContaining("as are more than 10000 in all")
        .hasMessageContaining("under another name");
  }

  @Test
  void aMalformedLineIsReportedWithWhatIsStoredBefore() {
    MillraceException problem = problem(lines(1_500, i -> one) + "{\n");
    assertThat(problem.code()).isEqualTo(ErrorCode.MALFORMED_BODY);
    assertThat(problem)
        .hasMessageContaining("lines 1001 to 1501: line 501")
        .hasMessageContaining("1000 events are stored")
        .hasMessageContaining("under another name");
  }

  @Test
  void aBodyThatBreaksOffIsReportedWithWhatIsStored() {
    InputStream broken =
        new SequenceInputStream(
            stream(lines(1_500, i -> other)),
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw new IOException("connection reset");
              }
            });
    assertThat(
            catchThrowableOfType(
                MillraceException.class, () -> streams.send(batch(EventMedia.LINES), broken, -1)))
        .hasMessageContaining("the body ended early: connection reset")
        .hasMessageContaining("1000 events are stored");
  }

  @Test
  void emptyBodiesAndQueuesWithoutOwnersAreRefused() {
    assertThat(problem("\n\n")).hasMessageContaining("the batch contains no events");
    assertThat(problem("")).hasMessageContaining("the batch contains no events");
    directory.follow(SlotNodes.topology(null), Targets.of(SlotNodes.topology(null)));
    assertThat(problem(lines(1, i -> one)).code()).isEqualTo(ErrorCode.NO_SEGMENT);
  }

  private MillraceException problem(String body) {
    return catchThrowableOfType(MillraceException.class, () -> send(body));
  }

  private SendAnswer send(String body) {
    return streams.send(batch(EventMedia.LINES), stream(body), -1);
  }

  private static Batch batch(String mediaType) {
    return new Batch("orders", "b", true, mediaType, "", new byte[0]);
  }

  private static InputStream stream(String body) {
    return new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8));
  }

  private static String lines(int count, IntFunction<String> keys) {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < count; i++) {
      body.append("{\"key\":\"").append(keys.apply(i)).append("\"}\n");
    }
    return body.toString();
  }
}

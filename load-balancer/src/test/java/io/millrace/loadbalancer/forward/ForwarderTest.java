package io.millrace.loadbalancer.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.api.client.HttpAnswer;
import io.millrace.api.client.HttpCall;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.NothingSentException;
import io.millrace.api.event.EventMedia;
import io.millrace.api.event.SendAnswer;
import io.millrace.api.json.Json;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.api.problem.Problem;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueNodeAddress;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.Topology;
import io.millrace.api.queue.VersionedQueue;
import io.millrace.platform.time.ManualClock;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ForwarderTest {
  private final ManualClock clock = new ManualClock(java.time.Instant.EPOCH);
  private final Chooser chooser = new Chooser(clock, null);
  private final Nodes nodes = new Nodes();
  private final Forwarder forwarder =
      new Forwarder(nodes, chooser, () -> "token", new SimpleMeterRegistry());

  ForwarderTest() {
    chooser.follow(Targets.of(topology(Map.of("q1", 500, "q2", 500))));
  }

  @Test
  void batchesAreSpreadByWeightAndChargedPerEvent() {
    for (int i = 0; i < 10; i++) {
      forwarder.forward(batch("b" + i, 10));
    }
    assertThat(nodes.stored).containsEntry("q1", 50).containsEntry("q2", 50);
    assertThat(forwarder.accepted()).isEqualTo(100);
  }

  @Test
  void batchGoesElsewhereWhenTheNodeWasNotReachedAndTheNodeIsLeftAloneForAWhile() {
    nodes.fail("q1", new NothingSentException("refused", null));
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q2");
    assertThat(forwarder.forward(batch("b2", 1)).node()).isEqualTo("q2");
    assertThat(nodes.calls).containsExactly("q1:b1", "q2:b1", "q2:b2");

    clock.advance(Duration.ofSeconds(1));
    List<String> afterThePause =
        List.of(forwarder.forward(batch("b3", 1)).node(), forwarder.forward(batch("b4", 1)).node());
    assertThat(afterThePause).as("one of them is the probe").contains("q1");
  }

  @Test
  void afterAnUnknownOutcomeTheSameNodeIsAskedFirstUnderTheSameName() {
    nodes.fail("q1", new IOException("broken pipe"));
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q1");
    assertThat(nodes.calls).containsExactly("q1:b1", "q1:b1");
  }

  @Test
  void onlyWhenTheSameNodeIsSilentAgainAnotherGetsTheBatch() {
    nodes.fail("q1", new IOException("broken pipe"));
    nodes.fail("q1", new IOException("still broken"));
    assertThat(forwarder.forward(batch("b1", 1)).node()).isEqualTo("q2");
    assertThat(nodes.calls).containsExactly("q1:b1", "q1:b1", "q2:b1");
  }

  @Test
  void mistakesOfTheProducerAreAnsweredByTheFirstNode() {
    nodes.refuse("q1", ErrorCode.MALFORMED_BODY);
    assertThatThrownBy(() -> forwarder.forward(batch("b1", 1)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            problem -> assertThat(problem.code()).isEqualTo(ErrorCode.MALFORMED_BODY));
    assertThat(nodes.calls).containsExactly("q1:b1");
  }

  @Test
  void fullSegmentSendsTheBatchToAnotherAndAllFullIsSaid() {
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
    assertThatThrownBy(() -> forwarder.forward(new Batch("nope", "b", EventMedia.JSON, body(1))))
        .hasMessageContaining("'nope'")
        .hasMessageContaining("millrace apply");
    chooser.follow(new Targets(Map.of(), Map.of(), java.util.Set.of("alert"), true));
    assertThatThrownBy(() -> forwarder.forward(batch("b1", 1)))
        .hasMessageContaining("no queue node holds weight of 'alert'");
  }

  @Test
  void beforeAnyTopologyItSaysThatItKnowsNothingYet() {
    Forwarder fresh =
        new Forwarder(nodes, new Chooser(clock, null), () -> "t", new SimpleMeterRegistry());
    assertThatThrownBy(() -> fresh.forward(batch("b1", 1))).hasMessageContaining("central manager");
  }

  private static Batch batch(String name, int events) {
    return new Batch("alert", name, EventMedia.LINES, body(events));
  }

  private static byte[] body(int events) {
    return "1\n".repeat(events).getBytes(StandardCharsets.UTF_8);
  }

  private static Topology topology(Map<String, Integer> points) {
    QueueDefinition queue = Json.read("{\"name\":\"alert\"}", QueueDefinition.class);
    List<QueueNodeAddress> addresses =
        points.keySet().stream()
            .map(
                name ->
                    new QueueNodeAddress(
                        UUID.randomUUID(), name, URI.create("http://" + name), null))
            .toList();
    return new Topology(
        "v1",
        List.of(new VersionedQueue(queue, 1)),
        List.of(new QueueWeights("alert", 1, points)),
        addresses,
        List.of());
  }

  /** Queue nodes that store what they get unless told to fail first. */
  private static final class Nodes implements HttpTransport {
    private final Map<String, Queue<Object>> troubles = new HashMap<>();
    private final Map<String, Integer> stored = new HashMap<>();
    private final List<String> calls = new ArrayList<>();

    void fail(String node, IOException failure) {
      troubles.computeIfAbsent(node, n -> new ArrayDeque<>()).add(failure);
    }

    void refuse(String node, ErrorCode code) {
      troubles.computeIfAbsent(node, n -> new ArrayDeque<>()).add(Problem.of(code, "refused"));
    }

    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      String node = call.uri().getHost();
      String batch = call.headers().get(EventMedia.BATCH_HEADER);
      calls.add(node + ":" + batch);
      Queue<Object> waiting = troubles.getOrDefault(node, new ArrayDeque<>());
      Object trouble = waiting.poll();
      if (trouble instanceof IOException failure) {
        throw failure;
      }
      if (trouble instanceof Problem problem) {
        return new HttpAnswer(
            problem.status(), Map.of("content-type", Problem.MEDIA_TYPE), Json.writeBytes(problem));
      }
      int events = (int) new String(call.body(), StandardCharsets.UTF_8).lines().count();
      stored.merge(node, events, Integer::sum);
      SendAnswer answer = new SendAnswer("alert", batch, events, false, node);
      return new HttpAnswer(200, Map.of(), Json.writeBytes(answer));
    }

    @Override
    public InputStream stream(HttpCall call) {
      throw new UnsupportedOperationException();
    }
  }
}

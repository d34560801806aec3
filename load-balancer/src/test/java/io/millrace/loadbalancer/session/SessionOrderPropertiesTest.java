package io.millrace.loadbalancer.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
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
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * A producer that awaits answers and repeats what is refused, over nodes that enforce epochs, while
 * slots move, topologies arrive late, requests get lost before, while and after they are served,
 * and some of them are served once more much later.
 */
class SessionOrderPropertiesTest {
  private static final List<String> NODES = List.of("q1", "q2", "q3");
  private static final int KEYS = 6;

  @Property(tries = 150)
  void eachKeyIsStoredOnceAndInTheOrderOfTheProducer(@ForAll long seed) {
    try (Scenario scenario = new Scenario(new Random(seed))) {
      scenario.run();
    }
  }

  /** One producer's run. */
  private static final class Scenario implements AutoCloseable {
    private final Random random;
    private final ManualClock clock = new ManualClock(Instant.EPOCH);
    private final SlotNodes nodes = new SlotNodes(Map.of("q1", 300, "q2", 300, "q3", 400));
    private final SlotDirectory directory = new SlotDirectory();
    private final SessionForwarder forwarder;
    private final Map<String, List<String>> expected = new HashMap<>();
    private final List<HttpCall> late = new ArrayList<>();
    private boolean calm;

    Scenario(Random random) {
      this.random = random;
      ForwardMeters meters = new ForwardMeters(new SimpleMeterRegistry());
      Duration moment = Duration.ofNanos(1);
      this.forwarder =
          new SessionForwarder(
              "lb1",
              directory,
              new TurnCalls(new BatchCall(node -> new OneCall(), meters, clock), meters, clock),
              new SettlementLimits(
                  random.nextInt(3),
                  Duration.ofSeconds(5),
                  Duration.ofSeconds(25),
                  moment,
                  moment));
      publish();
    }

    /** Nodes serve one request at a time, so that a run depends on the threads' order only. */
    private synchronized HttpAnswer serve(HttpCall call) throws IOException {
      clock.advance(Duration.ofMillis(random.nextInt(2_000)));
      disturb();
      switch (calm ? 0 : random.nextInt(12)) {
        case 1 -> throw new NothingSentException("refused", null);
        case 2 -> {
          // Arrives much later.
          late.add(call);
          throw new IOException("timed out");
        }
        case 3 -> {
          nodes.serve(SlotNodes.firstOf(call, random.nextInt(4)));
          throw new IOException("killed");
        }
        case 4 -> {
          nodes.serve(call);
          late.add(call);
          throw new IOException("answer lost");
        }
        case 5 -> {
          return SlotNodes.problem(
              random.nextBoolean() ? ErrorCode.UNAVAILABLE : ErrorCode.QUEUE_FULL);
        }
        default -> {
          return nodes.serve(call);
        }
      }
    }

    private void disturb() {
      if (calm) {
        publish();
        return;
      }
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          List<Integer> slots = new ArrayList<>();
          for (int key = 0; key < KEYS; key++) {
            if (random.nextInt(3) == 0) {
              slots.add(SessionKey.slot("key" + key));
            }
          }
          nodes.move(slots, NODES.get(random.nextInt(3)));
        }
        case 2, 3, 4 -> publish();
        case 5 -> late.removeIf(call -> random.nextBoolean() && served(call));
        case 6 ->
            nodes.refuseKey(
                "key" + random.nextInt(KEYS),
                random.nextInt(3) == 0 ? ErrorCode.SESSIONS_FULL : null);
        default -> {
          // Nothing happens.
        }
      }
    }

    private boolean served(HttpCall call) {
      nodes.serve(call);
      return true;
    }

    private void publish() {
      directory.follow(nodes.topology(), Targets.of(nodes.topology()));
    }

    void run() {
      int batches = 1 + random.nextInt(5);
      for (int batch = 0; batch < batches; batch++) {
        deliver("b" + batch, body("b" + batch));
      }
      late.forEach(nodes::serve);
      assertThat(nodes.stored()).isEqualTo(expected);
    }

    private String body(String name) {
      // Sometimes more than a part of a stream.
      int events = random.nextInt(6) == 0 ? 1_000 + random.nextInt(50) : 1 + random.nextInt(30);
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < events; i++) {
        String key = "key" + random.nextInt(KEYS);
        lines.append("{\"key\":\"").append(key).append("\"}\n");
        expected.computeIfAbsent(key, k -> new ArrayList<>()).add(name + "-" + i);
      }
      return lines.toString();
    }

    /** Repeats the whole batch until it is stored. */
    private void deliver(String name, String body) {
      calm = false;
      for (int attempt = 0; attempt < 8; attempt++) {
        if (attempt == 5) {
          calm = true;
          for (int key = 0; key < KEYS; key++) {
            nodes.refuseKey("key" + key, null);
          }
        }
        Map<String, List<String>> before = nodes.stored();
        try {
          SendAnswer answer = once(name, body);
          assertThat(answer.accepted() + answer.refused().size())
              .isEqualTo((int) body.lines().count());
          requireStored(answer, name, (int) body.lines().count());
          if (answer.refused().isEmpty()) {
            return;
          }
        } catch (MillraceException refused) {
          assertThat(refused.code())
              .isIn(
                  ErrorCode.UNAVAILABLE,
                  ErrorCode.TIMEOUT,
                  ErrorCode.QUEUE_FULL,
                  ErrorCode.SESSIONS_FULL);
        }
        before.forEach(
            (key, ids) -> assertThat(nodes.stored().get(key)).as("kept").startsWith(first(ids)));
      }
      throw new AssertionError("not stored while nothing disturbs");
    }

    private static String[] first(List<String> ids) {
      return ids.toArray(String[]::new);
    }

    /** What is answered as accepted is stored. */
    private void requireStored(SendAnswer answer, String name, int events) {
      Set<String> ids = new HashSet<>();
      nodes.stored().values().forEach(ids::addAll);
      Set<Integer> refused = new HashSet<>();
      answer.refused().stream().map(RefusedEvent::index).forEach(refused::add);
      for (int i = 0; i < events; i++) {
        assertThat(refused.contains(i) || ids.contains(name + "-" + i)).isTrue();
      }
    }

    private SendAnswer once(String name, String body) {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      Batch batch = new Batch("orders", name, true, EventMedia.LINES, "", bytes);
      return random.nextBoolean()
          ? forwarder.forward(batch)
          : new SessionStreams(forwarder)
              .send(batch.of(new byte[0]), new ByteArrayInputStream(bytes), -1);
    }

    /** Every request comes to the scenario. */
    private final class OneCall implements HttpTransport {
      @Override
      public HttpAnswer send(HttpCall call) throws IOException {
        return serve(call);
      }

      @Override
      public InputStream stream(HttpCall call) {
        throw new UnsupportedOperationException();
      }
    }

    @Override
    public void close() {
      forwarder.stop();
    }
  }
}

package io.millrace.queuenode.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.EventMedia;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionKey;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SessionWorkerCalls.PollAnswered;
import io.millrace.api.session.SessionWorkerCalls.ResultAnswer;
import io.millrace.api.session.SessionWorkerCalls.ResultKind;
import io.millrace.api.session.SessionWorkerCalls.ResultOutcome;
import io.millrace.api.session.SessionWorkerCalls.RevokedSession;
import io.millrace.api.session.SessionWorkerCalls.SessionDelivery;
import io.millrace.api.session.SessionWorkerCalls.SessionEvent;
import io.millrace.api.session.SessionWorkerCalls.SessionPoll;
import io.millrace.api.session.SessionWorkerCalls.SessionResult;
import io.millrace.api.session.SessionWorkerCalls.WorkerRegistration;
import io.millrace.api.session.SlotMoveRequest;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.platform.identity.TokenIssuer;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.membership.LocalClusterView;
import io.millrace.queuenode.store.CommitSettings.Durability;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two queue nodes between which slots move to and fro, while a producer and a worker run. */
class SlotsThatMoveTest {
  private static final String QUEUE = "orders";
  private static final int KEYS = 40;
  private static final int EVENTS_OF_KEY = 40;
  private static final int MOVES = 6;

  @TempDir Path folder;
  private final SystemClock clock = new SystemClock();
  private final WeighingCentral central = new WeighingCentral(new JdkTransport());
  private final LocalClusterView view = new LocalClusterView(clock);
  private final List<QueueNode> nodes = new ArrayList<>();
  private final List<Loop> loops = new ArrayList<>();
  private final Map<String, ApiClient> clients = new ConcurrentHashMap<>();
  private TokenIssuer issuer;

  @BeforeEach
  void start() {
    Path tokens = folder.resolve("tokens");
    KeyFiles.ensure(tokens);
    issuer = new TokenIssuer(KeyFiles.privateKey(tokens), clock);
    TokenFiles.ensure(tokens, issuer);
    central.define(
        QUEUE,
        SessionDefinition.of("/key").withHeartbeat(Duration.ofSeconds(1)),
        Map.of("q1", 500, "q2", 500));
    for (String name : List.of("q1", "q2")) {
      QueueNode node =
          new QueueNode(
              QueueNodeSettings.of(
                      name,
                      folder.resolve(name),
                      List.of(WeighingCentral.ADDRESS),
                      tokens.resolve(KeyFiles.PUBLIC))
                  .withDurability(Durability.PROCESS),
              clock,
              central,
              view);
      node.start();
      nodes.add(node);
    }
    Awaitility.await().until(() -> central.reports().size() == 2);
  }

  @AfterEach
  void stop() {
    loops.forEach(Loop::stop);
    nodes.forEach(QueueNode::stop);
  }

  private ApiClient api(String node) {
    return clients.computeIfAbsent(node, this::client);
  }

  private ApiClient client(String node) {
    String token = issuer.issue(Principal.of(Role.OPERATOR, "test"), Optional.empty());
    return new ApiClient(
        central, new Endpoints(List.of(central.reports().get(node).address())), () -> token);
  }

  private Loop run(String name, Loop.Task task) {
    Loop loop = new Loop(name, Duration.ofMillis(1), task);
    loops.add(loop);
    loop.start();
    return loop;
  }

  @Test
  void eachKeysEventsReachOneWorkerInOrderWhileItsSlotMoves() {
    Seen seen = new Seen();
    for (String node : List.of("q1", "q2")) {
      Attached worker = new Attached(api(node), seen);
      run("worker-" + node, worker::turn);
    }
    Producer producer = new Producer();
    run("producer", producer::turn);
    AtomicInteger moves = new AtomicInteger();
    run(
        "mover",
        () -> {
          if (moves.get() < MOVES) {
            String from = moves.get() % 2 == 0 ? "q1" : "q2";
            String to = from.equals("q1") ? "q2" : "q1";
            api(from).post("/v1/queues/" + QUEUE + "/slot-moves", new SlotMoveRequest(to, 150));
            moves.incrementAndGet();
          }
        });
    Awaitility.await()
        .atMost(Duration.ofSeconds(90))
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> producer.done() && moves.get() == MOVES && seen.events() == KEYS * EVENTS_OF_KEY);
    assertThat(seen.violations).isEmpty();
    // All has arrived, and nothing is left where it was.
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                central.slots(QUEUE).ranges().stream()
                    .allMatch(range -> range.owner().undrained().isEmpty()));
    assertThat(central.carriedOut()).hasSize(MOVES);
    assertThat(
            IntStream.range(0, 2)
                .mapToLong(
                    i -> new QueueClient(api("q" + (i + 1))).figures(QUEUE).sessions().late())
                .sum())
        .isZero();
  }

  /** What was worked on, by key: each event's first time must come in order. */
  private static final class Seen {
    private final Map<String, Integer> last = new ConcurrentHashMap<>();
    private final List<String> violations = new CopyOnWriteArrayList<>();

    void event(String key, SessionEvent event) {
      int number = Integer.parseInt(event.id().substring(event.id().indexOf('-') + 1));
      if (event.n() != number) {
        violations.add("event " + event.id() + " has the place " + event.n());
      }
      last.merge(
          key,
          number,
          (before, now) -> {
            // What a former worker had acknowledged comes again.
            if (now > before + 1) {
              violations.add(event.id() + " came after " + before);
            }
            return Math.max(before, now);
          });
    }

    int events() {
      return last.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /** Sends the events of all keys one after the other, each until it is accepted. */
  private final class Producer {
    private int next;

    boolean done() {
      return next >= KEYS * EVENTS_OF_KEY;
    }

    void turn() {
      if (done()) {
        return;
      }
      String key = "k" + next % KEYS;
      int number = next / KEYS + 1;
      SlotOwner owner = central.slots(QUEUE).owner(SessionKey.slot(key));
      String envelope =
          "{\"id\":\"%s-%d\",\"slotEpoch\":%d,\"data\":{\"key\":\"%s\"}}"
              .formatted(key, number, owner.epoch(), key);
      try {
        new QueueClient(api(owner.node()))
            .send(
                QUEUE, "b" + next, EventMedia.ENVELOPES, envelope.getBytes(StandardCharsets.UTF_8));
        next++;
      } catch (MillraceException refusedNow) {
        // The same event again, wherever its slot is then.
        return;
      }
    }
  }

  /** A worker at one node: acknowledges what it gets, and gives back what it is asked for. */
  private static final class Attached {
    private final ApiClient node;
    private final Seen seen;
    private final String path;
    private final Map<String, Held> held = new HashMap<>();
    private final List<SessionResult> results = new ArrayList<>();
    private UUID incarnation;
    private long poll;

    private record Held(SessionNumber number, long through) {}

    Attached(ApiClient node, Seen seen) {
      this.node = node;
      this.seen = seen;
      this.path = "/v1/queues/" + QUEUE + "/session-workers/" + UUID.randomUUID();
    }

    void turn() {
      if (incarnation == null) {
        UUID mine = UUID.randomUUID();
        node.send(HttpCall.put(URI.create(path), new WorkerRegistration(mine, null, null, null)));
        incarnation = mine;
        poll = 1;
      }
      PollAnswered answer =
          node.post(
                  path + "/polls",
                  new SessionPoll(incarnation, poll, 200, Duration.ofMillis(300), results))
              .as(PollAnswered.class);
      poll++;
      results.clear();
      for (ResultAnswer one : answer.answers()) {
        if (one.outcome() != ResultOutcome.DONE) {
          held.remove(one.key());
        }
      }
      answer.sessions().forEach(this::work);
      answer.revoked().forEach(this::giveBack);
    }

    private void work(SessionDelivery delivery) {
      for (SessionEvent event : delivery.events()) {
        seen.event(delivery.key(), event);
      }
      long through = delivery.events().get(delivery.events().size() - 1).n();
      held.put(delivery.key(), new Held(delivery.number(), through));
      results.add(result(delivery.key(), delivery.number(), through, ResultKind.ACKNOWLEDGED));
    }

    private void giveBack(RevokedSession revoked) {
      Held mine = held.remove(revoked.key());
      results.add(
          result(
              revoked.key(),
              revoked.number(),
              mine == null ? 0 : mine.through(),
              ResultKind.RELEASED));
    }

    private static SessionResult result(
        String key, SessionNumber number, long through, ResultKind kind) {
      return new SessionResult(key, number, through, kind, null, null);
    }
  }
}

package io.millrace.manager.weight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.queue.QueueDeletion;
import io.millrace.api.queue.Topology;
import io.millrace.manager.node.NodeIdentities;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopologyServiceTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path folder;
  private QueueWorld world;
  private NodeIdentities identities;
  private TopologyService topology;
  private final ManualClock clock = new ManualClock(Instant.ofEpochSecond(1_700_000_000));
  private volatile List<QueueDeletion> deletions = List.of();
  private volatile boolean unreadable;
  private final AtomicInteger readings = new AtomicInteger();
  private final List<Duration> delays = new CopyOnWriteArrayList<>();
  private final List<Runnable> delayed = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() {
    world = new QueueWorld(folder);
    identities = new NodeIdentities(world.database, new SystemClock());
    topology =
        new TopologyService(
            world.weights,
            world.queues,
            world.controls,
            world.queueNodes,
            Set::of,
            identities,
            () -> {
              readings.incrementAndGet();
              if (unreadable) {
                throw new MillraceException(ErrorCode.UNAVAILABLE, "the database is away");
              }
              return deletions;
            },
            clock,
            (delay, action) -> {
              delays.add(delay);
              delayed.add(action);
            });
    topology.start();
  }

  @AfterEach
  void stop() {
    topology.stop();
    world.close();
  }

  @Test
  void theWithdrawalOfAnIdentityReachesFollowersAndStays() throws Exception {
    NodeIdentity node = new NodeIdentity(Role.QUEUE_NODE, "q9", new UUID(9, 9));
    identities.require(Principal.of(node));
    Topology first = follow("", LONG).orElseThrow();
    assertThat(first.withdrawn()).isEmpty();

    CompletableFuture<Optional<Topology>> waiting = topology.follow(first.version(), LONG);
    identities.withdraw("q9", "ann");

    assertThat(waiting.get(30, TimeUnit.SECONDS).orElseThrow().withdrawn())
        .containsExactly(node.id());
    identities.require(Principal.of(new NodeIdentity(node.role(), "q9", new UUID(9, 10))));
    assertThat(follow("", LONG).orElseThrow().withdrawn()).containsExactly(node.id());
  }

  @Test
  void aDeletionReachesFollowersWhenItBeginsAndWhenItIsDone() throws Exception {
    QueueDeletion begun = new QueueDeletion("alert", 3, DeletionMode.DRAIN, false);
    deletions = List.of(begun);
    await(seen -> seen.deletions().equals(List.of(begun)));

    QueueDeletion done = new QueueDeletion("alert", 3, DeletionMode.DRAIN, true);
    deletions = List.of(done);
    await(seen -> seen.deletions().equals(List.of(done)));
  }

  @Test
  void aWithdrawnQueueNodeIsNotAmongTheNodesAnyMore() throws Exception {
    world.reports("q1", "q2");
    await(seen -> seen.nodes().size() == 2);
    UUID id = UUID.nameUUIDFromBytes("q2".getBytes(StandardCharsets.UTF_8));
    identities.require(Principal.of(new NodeIdentity(Role.QUEUE_NODE, "q2", id)));

    identities.withdraw("q2", "ann");

    Topology without = await(seen -> !seen.withdrawn().isEmpty());
    assertThat(without.nodes()).extracting(node -> node.name()).containsExactly("q1");
  }

  @Test
  void aQueueNodeThatHasNotReportedSinceARestorationIsNotAmongTheNodes() throws Exception {
    world.reports("q1", "q2");
    await(seen -> seen.nodes().size() == 2);

    world.forgetAddress("q2");
    Topology without = await(seen -> seen.nodes().size() == 1);
    assertThat(without.nodes()).extracting(node -> node.name()).containsExactly("q1");

    world.reports("q2");
    await(seen -> seen.nodes().size() == 2);
  }

  @Test
  void aNewFollowerIsAnsweredImmediatelyAndACurrentOneWaitsForAChange() throws Exception {
    Topology first = follow("", LONG).orElseThrow();
    assertThat(first.queues()).isEmpty();
    assertThat(follow(first.version(), Duration.ofMillis(20))).isEmpty();

    CompletableFuture<Optional<Topology>> waiting = topology.follow(first.version(), LONG);
    world.apply("{kind: queue, name: alert}");
    topology.wake();

    Topology second = waiting.get(LONG.toSeconds(), TimeUnit.SECONDS).orElseThrow();
    assertThat(second.queues()).hasSize(1);
    assertThat(second.version()).isNotEqualTo(first.version());
  }

  @Test
  void aChangeWithoutAWakeUpIsFoundByPolling() throws Exception {
    Topology first = follow("", LONG).orElseThrow();
    world.weigh("alert", Map.of("q1", 1000));

    assertThat(follow(first.version(), LONG).orElseThrow().weights()).hasSize(1);
  }

  @Test
  void aReportThatChangesNothingChangesNoVersion() throws Exception {
    world.report("q1", QueueWorld.segment("alert", "q1", 1, 1));
    topology.wake();
    Topology first = follow("", LONG).orElseThrow();
    if (first.nodes().isEmpty()) {
      first = follow(first.version(), LONG).orElseThrow();
    }
    world.report("q1", QueueWorld.segment("alert", "q1", 9, 9));
    topology.wake();

    assertThat(follow(first.version(), Duration.ofMillis(700))).isEmpty();
  }

  @Test
  void commandsForNodesAndQueuesArePublishedAndMaintenanceEndsAutomatically() throws Exception {
    world.apply("{kind: queue, name: alert}");
    world.report("q1");
    Topology first = await(topology -> topology.nodes().size() == 1);
    assertThat(first.nodes().get(0).status()).isEqualTo(NodeStatus.ACTIVE);

    world.queueNodes.command("q1", NodeStatus.MAINTENANCE, Duration.ofSeconds(2), "disk");
    await(seen -> seen.nodes().get(0).status() == NodeStatus.MAINTENANCE);
    await(seen -> seen.nodes().get(0).status() == NodeStatus.ACTIVE);

    world.controls.pause("alert", new PauseRequest(true, false, "deploy"), "ann");
    Topology paused = await(seen -> !seen.controls().isEmpty());
    assertThat(paused.controls().get(0).words()).isEqualTo("paused by ann: deploy");
  }

  @Test
  void nodesLearnFromTheTopologyWhereTheOthersPartsOfTheClusterViewAre() throws Exception {
    world.report("q1");
    Topology first = await(seen -> seen.nodes().size() == 1);
    assertThat(first.members()).isEmpty();

    world.reportMember("q1", "127.0.0.1:5701");
    await(seen -> seen.members().equals(List.of("127.0.0.1:5701")));
    world.reportMember("q1", "127.0.0.1:5702");
    await(seen -> seen.members().equals(List.of("127.0.0.1:5702")));
  }

  @Test
  void aManagerThatCannotReadSendsAwayThoseThatKnowMoreAndAnswersNewOnes() throws Exception {
    Topology last = follow("", LONG).orElseThrow();
    unreadable = true;
    assertThat(follow(last.version(), Duration.ofMillis(20))).as("for a moment").isEmpty();
    clock.advance(Duration.ofSeconds(16));

    assertThat(follow("", LONG)).as("better than nothing").isPresent();
    assertThat(refusal(topology.follow("newer", LONG))).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(refusal(topology.follow(last.version(), Duration.ofMillis(20))))
        .isEqualTo(ErrorCode.UNAVAILABLE);

    unreadable = false;
    CompletableFuture<Optional<Topology>> fresh = topology.fresh(last.version());
    assertThat(fresh.get(30, TimeUnit.SECONDS)).as("read, and the same").isEmpty();
    clock.advance(TopologyService.FRESH_EVERY);
    assertThat(topology.fresh("").get(30, TimeUnit.SECONDS)).contains(last);
  }

  @Test
  void aFreshTopologyHasWhatWasCommittedBeforeTheRequest() throws Exception {
    for (int i = 0; i < 5; i++) {
      world.weigh("q" + i, Map.of("n1", 1000));
      Topology fresh = topology.fresh("").get(30, TimeUnit.SECONDS).orElseThrow();
      assertThat(fresh.weights()).hasSize(i + 1);
      clock.advance(TopologyService.FRESH_EVERY);
    }
    assertThat(delays).isEmpty();
  }

  @Test
  void freshRequestsInARowShareReadings() throws Exception {
    topology.fresh("").get(30, TimeUnit.SECONDS);
    clock.advance(Duration.ofMillis(20));
    List<CompletableFuture<Optional<Topology>>> asked = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      asked.add(topology.fresh(""));
    }
    assertThat(delays).containsExactly(Duration.ofMillis(30));

    clock.advance(Duration.ofMillis(30));
    delayed.get(0).run();
    for (CompletableFuture<Optional<Topology>> one : asked) {
      assertThat(one.get(30, TimeUnit.SECONDS)).isPresent();
    }
    topology.fresh("");
    assertThat(delays).hasSize(2).endsWith(TopologyService.FRESH_EVERY);
  }

  @Test
  void requestsAfterTheStopAreAnswered() throws Exception {
    Topology last = follow("", LONG).orElseThrow();
    topology.stop();
    int before = readings.get();
    assertThat(refusal(topology.fresh(""))).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(refusal(topology.follow(last.version(), LONG))).isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(readings).hasValue(before);
  }

  private static ErrorCode refusal(CompletableFuture<Optional<Topology>> answer) throws Exception {
    try {
      answer.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof MillraceException refused) {
        return refused.code();
      }
    }
    throw new AssertionError("it was answered");
  }

  /** Follows until the topology is as wanted. */
  private Topology await(Predicate<Topology> wanted) throws Exception {
    topology.wake();
    Topology seen = follow("", LONG).orElseThrow();
    while (!wanted.test(seen)) {
      seen = follow(seen.version(), LONG).orElseThrow();
    }
    return seen;
  }

  private Optional<Topology> follow(String known, Duration wait) throws Exception {
    return topology.follow(known, wait).get(2 * LONG.toSeconds(), TimeUnit.SECONDS);
  }
}

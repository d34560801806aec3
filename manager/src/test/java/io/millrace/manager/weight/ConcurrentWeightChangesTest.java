package io.millrace.manager.weight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.MoveRequest;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.claim.Claim;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Nodes that move, healers and nodes that die and return, all at once on one database. */
class ConcurrentWeightChangesTest {
  private static final List<String> QUEUES = List.of("a", "b", "c");
  private static final List<String> NODES = List.of("q1", "q2", "q3", "q4", "q5");
  private static final Duration LONG_AGO = Duration.ofMinutes(5);
  private static final int STEPS = 120;
  private static final int MIN_SEGMENTS = 2;
  private static final Set<ErrorCode> ORDINARY =
      EnumSet.of(ErrorCode.STALE_VERSION, ErrorCode.CONFLICT);

  @Property(tries = 5, shrinking = ShrinkingMode.OFF)
  void theSumAndTheMinimumHoldInEveryVersionOfEveryRow(@ForAll long seed) throws Exception {
    Path folder = Files.createTempDirectory("weights");
    try (QueueWorld world = new QueueWorld(folder)) {
      prepare(world);
      HealingWorld healing = new HealingWorld(world);
      Claim claim = healing.claim("c1");
      healing.settle(claim);
      int moved = run(world, healing, claim, seed);

      assertThat(moved).as("moves that were carried out").isPositive();
      QUEUES.forEach(queue -> check(world, queue));
      assertThat(queuesDecidedAbout(world))
          .as("every change has its decision")
          .isEqualTo(QUEUES.stream().mapToLong(queue -> changes(world, queue).size() - 1).sum());
    } finally {
      deleteAll(folder);
    }
  }

  private static void prepare(QueueWorld world) {
    QUEUES.forEach(
        queue ->
            world.apply("{kind: queue, name: " + queue + ", minSegments: " + MIN_SEGMENTS + "}"));
    NODES.forEach(node -> world.report(node));
    QUEUES.forEach(queue -> world.weigh(queue, Map.of("q1", 300, "q2", 300, "q3", 400)));
  }

  private static int run(QueueWorld world, HealingWorld healing, Claim claim, long seed)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(5);
    try {
      List<Future<Integer>> movers = new ArrayList<>();
      for (int number = 0; number < 3; number++) {
        Random random = new Random(seed + number);
        movers.add(threads.submit(() -> move(world, random)));
      }
      Future<?> healer = threads.submit(repeated(() -> healing.heal(claim)));
      Random deaths = new Random(seed - 1);
      Future<?> nemesis = threads.submit(repeated(() -> dieOrReturn(world, deaths)));
      int moved = 0;
      for (Future<Integer> mover : movers) {
        moved += mover.get();
      }
      healer.get();
      nemesis.get();
      return moved;
    } finally {
      threads.shutdownNow();
    }
  }

  private static Callable<Void> repeated(Runnable step) {
    return () -> {
      for (int number = 0; number < STEPS; number++) {
        step.run();
      }
      return null;
    };
  }

  /** Only these two die, so that enough nodes live for the minimum all the time. */
  private static void dieOrReturn(QueueWorld world, Random random) {
    String node = random.nextBoolean() ? "q1" : "q5";
    if (random.nextBoolean()) {
      world.silence(node, LONG_AGO);
    } else {
      world.report(node);
    }
  }

  private static int move(QueueWorld world, Random random) {
    WeightService moves =
        new WeightService(world.database, world.queues, world.queueNodes, () -> {});
    int moved = 0;
    for (int number = 0; number < STEPS; number++) {
      try {
        moves.move(anything(world, random));
        moved++;
      } catch (MillraceException e) {
        assertThat(e.code()).as(e.getMessage()).isIn(ORDINARY);
      }
    }
    return moved;
  }

  /** Up to three moves of one node, wise or not. */
  private static MoveRequest anything(QueueWorld world, Random random) {
    List<QueueWeights> rows = world.weights.all();
    String giver = NODES.get(random.nextInt(NODES.size()));
    List<WeightMove> moves = new ArrayList<>();
    for (QueueWeights row : rows) {
      int held = row.of(giver);
      String receiver = NODES.get(random.nextInt(NODES.size()));
      if (held > 0 && !receiver.equals(giver) && (moves.isEmpty() || random.nextBoolean())) {
        int points = random.nextInt(3) == 0 ? held : 1 + random.nextInt(held);
        moves.add(new WeightMove(row.queue(), row.version(), giver, receiver, points));
      }
    }
    BalancingKind kind = moves.isEmpty() ? BalancingKind.SHORTAGE : BalancingKind.SHED;
    return new MoveRequest(UUID.randomUUID(), giver, kind, "any", moves, "any", null);
  }

  /** A row that does not sum to 1000 could not even be read: {@link QueueWeights} refuses it. */
  private static void check(QueueWorld world, String queue) {
    List<WeightChange> changes = changes(world, queue);
    for (int index = 0; index < changes.size(); index++) {
      WeightChange change = changes.get(index);
      assertThat(change.version()).isEqualTo(index + 1);
      QueueWeights row = new QueueWeights(queue, change.version(), change.points());
      assertThat(row.points().size()).as("%s", change).isGreaterThanOrEqualTo(MIN_SEGMENTS);
    }
    QueueWeights now = world.weights.find(queue).orElseThrow();
    assertThat(changes.get(changes.size() - 1).points()).isEqualTo(now.points());
  }

  private static long queuesDecidedAbout(QueueWorld world) {
    return history(world).decisions(null, null, 10_000).stream()
        .mapToLong(decision -> decision.moves().stream().map(WeightMove::queue).distinct().count())
        .sum();
  }

  private static List<WeightChange> changes(QueueWorld world, String queue) {
    return history(world).weights(queue, Duration.ofHours(1)).history();
  }

  private static WeightService history(QueueWorld world) {
    return new WeightService(world.database, world.queues, world.queueNodes, () -> {});
  }

  private static void deleteAll(Path folder) throws Exception {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}

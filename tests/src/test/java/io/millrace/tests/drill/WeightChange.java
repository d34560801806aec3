package io.millrace.tests.drill;

import static org.awaitility.Awaitility.await;

import io.millrace.api.MillraceException;
import io.millrace.api.node.NodeCommand;
import io.millrace.tests.drill.WeightChangeFault.Victim;
import io.millrace.tests.drill.cluster.DrillCluster;
import io.millrace.tests.drill.network.Link;
import io.millrace.tests.drill.network.LinkFailure;
import io.millrace.tests.drill.network.TrafficTrigger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.awaitility.core.ConditionTimeoutException;

/** Drains a queue node by command, with a fault at one step. Not thread-safe. */
final class WeightChange {
  private static final Duration CHANGED_WITHIN = Duration.ofSeconds(60);
  private static final int REACHED_WITHIN_SECONDS = 25;
  private static final int LONGEST_ABSENCE_MILLIS = 3_000;
  private static final int REPAIRED_WITHIN_MINUTES = 5;

  private final DrillCluster cluster;
  private final WeightWatch watch;
  private final RandomGenerator random;

  WeightChange(DrillCluster cluster, WeightWatch watch, RandomGenerator random) {
    this.cluster = cluster;
    this.watch = watch;
    this.random = random;
  }

  /**
   * Drains the node with the most weight, hits the victim at the step, repairs it, waits until the
   * node has no weight, and undrains it.
   *
   * @return whether the step was seen
   */
  boolean play(WeightChangeFault fault) throws Exception {
    String giver = holder();
    CompletableFuture<Link> reached = new CompletableFuture<>();
    TrafficTrigger wire =
        new TrafficTrigger(
            fault.step().direction(),
            fault.step().words(),
            fault.before(),
            link -> {
              try {
                hit(fault, giver, link);
                reached.complete(link);
              } catch (RuntimeException e) {
                reached.completeExceptionally(e);
              }
            });
    // Repaired while the command below waits for an answer: only the process that was hit may be
    // able to answer.
    CompletableFuture<Void> repaired =
        reached.thenAcceptAsync(link -> repair(fault, giver, link), afterAnAbsence());
    watched(fault.step(), giver).forEach(link -> link.watch(wire));
    command(giver, "drain");
    boolean seen = seen(wire, reached);
    if (seen) {
      repaired.get(REPAIRED_WITHIN_MINUTES, TimeUnit.MINUTES);
    }
    awaitEmpty(giver);
    command(giver, "undrain");
    return seen;
  }

  private void awaitEmpty(String giver) {
    try {
      await(giver + " has no weight left")
          .atMost(CHANGED_WITHIN)
          .until(() -> Drill.QUEUES.stream().noneMatch(queue -> holds(giver, queue)));
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(watch.describe() + "; queue nodes are " + queueNodes(), e);
    }
  }

  /** As reported by the first central manager that answers. */
  private String queueNodes() {
    for (String central : cluster.shape().centralNames()) {
      try {
        return cluster.impatient(central).get("/v1/queue-nodes").orThrow().text();
      } catch (MillraceException e) {
        // Tries the next one.
      }
    }
    return "unknown, because no central manager answers";
  }

  private String holder() {
    return cluster.shape().queueNodeNames().stream()
        .max((one, other) -> Integer.compare(points(one), points(other)))
        .orElseThrow();
  }

  private int points(String node) {
    return Drill.QUEUES.stream().mapToInt(queue -> watch.points(queue).getOrDefault(node, 0)).sum();
  }

  private boolean holds(String node, String queue) {
    Map<String, Integer> points = watch.points(queue);
    return points.isEmpty() || points.containsKey(node);
  }

  private List<Link> watched(WeightChangeStep step, String giver) {
    return switch (step.place()) {
      case GIVER_TO_CENTRAL ->
          cluster.shape().centralNames().stream()
              .map(central -> cluster.links().get(giver + ">" + central))
              .toList();
      case TO_RECEIVER ->
          others(giver).stream().map(node -> cluster.links().get("cluster>" + node)).toList();
    };
  }

  private List<String> others(String giver) {
    return cluster.shape().queueNodeNames().stream().filter(node -> !node.equals(giver)).toList();
  }

  /** Whether the step was seen; one that begins just before the timeout is waited for. */
  private static boolean seen(TrafficTrigger wire, CompletableFuture<Link> reached)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (!wire.await(REACHED_WITHIN_SECONDS) && wire.cancel()) {
      return false;
    }
    reached.get(REACHED_WITHIN_SECONDS, TimeUnit.SECONDS);
    return true;
  }

  private Executor afterAnAbsence() {
    return CompletableFuture.delayedExecutor(
        random.nextInt(LONGEST_ABSENCE_MILLIS), TimeUnit.MILLISECONDS);
  }

  private void hit(WeightChangeFault fault, String giver, Link link) {
    if (fault.victim() == Victim.LINK) {
      link.cut(LinkFailure.REFUSED);
    } else {
      cluster.kill(process(fault.victim(), giver, link));
    }
  }

  private void repair(WeightChangeFault fault, String giver, Link link) {
    if (fault.victim() == Victim.LINK) {
      link.heal();
    } else {
      cluster.restart(process(fault.victim(), giver, link));
    }
  }

  /** The process at the server end of the link, or the first other node as a possible receiver. */
  private String process(Victim victim, String giver, Link link) {
    String server = link.name().substring(link.name().indexOf('>') + 1);
    return switch (victim) {
      case GIVER -> giver;
      case CENTRAL -> server;
      case RECEIVER -> server.startsWith("q") ? server : others(giver).get(0);
      case LINK -> throw new IllegalArgumentException("a link is not a process");
    };
  }

  /** Asks any central manager that answers. */
  private void command(String node, String verb) {
    await(verb + " of " + node + " is accepted")
        .atMost(CHANGED_WITHIN)
        .ignoreExceptionsMatching(MillraceException.class::isInstance)
        .until(
            () -> {
              String central =
                  cluster.shape().centralNames().stream()
                      .filter(cluster::lives)
                      .findFirst()
                      .orElse("c1");
              return cluster
                  .impatient(central)
                  .post("/v1/queue-nodes/" + node + "/" + verb, new NodeCommand(null, "the drill"))
                  .ok();
            });
  }
}

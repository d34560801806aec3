package io.millrace.simulator.containers;

import io.millrace.api.queue.NodeState;
import io.millrace.simulator.containers.ConsumerNode.Container;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Solution A (H-260 to H-264): each node on its own moves containers away when it is TOOBUSY,
 * starts containers of a kind that requests capacity, and in off-hours empties itself or stops
 * duplicate containers. Where the publication leaves a choice, it is made in its favour: nodes know
 * the states of others without delay, and a BUSY node still starts its own containers. Used by one
 * thread.
 */
final class ContainersArrangement implements Arrangement {
  private final ContainerSettings settings;
  private final SplittableRandom random;

  ContainersArrangement(ContainerSettings settings, long seed) {
    this.settings = settings;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public String name() {
    return "containers";
  }

  /** Initially, each kind runs on two neighbouring nodes. */
  @Override
  public void begin(ConsumerCluster cluster) {
    List<ConsumerNode> nodes = cluster.nodes();
    for (int type = 0; type < cluster.types().size(); type++) {
      int copies = cluster.types().get(type).single() ? 1 : 2;
      for (int copy = 0; copy < copies; copy++) {
        place(cluster, type, nodes.get((type / 2 + copy) % nodes.size()));
      }
    }
  }

  private void place(ConsumerCluster cluster, int type, ConsumerNode preferred) {
    ConsumerNode node =
        preferred.hasCapacity(settings.consumers())
            ? preferred
            : least(cluster, one -> one.count(type) == 0).orElse(preferred);
    node.containers().add(new Container(type, settings.consumers(), 0));
  }

  @Override
  public void decide(ConsumerCluster cluster, long step) {
    if (step % Math.round(settings.cycle()) != 0) {
      return;
    }
    cluster.nodes().forEach(ConsumerNode::flag);
    List<ConsumerNode> order = new ArrayList<>(cluster.nodes());
    for (int i = order.size() - 1; i > 0; i--) {
      Collections.swap(order, i, random.nextInt(i + 1));
    }
    long ready = step + Math.round(settings.startSeconds());
    boolean off = settings.offHours(CapacityDay.BEGIN + (double) step);
    for (ConsumerNode node : order) {
      if (node.used()) {
        decide(cluster, node, ready, off);
      }
    }
    restore(cluster, step, ready);
  }

  private void decide(ConsumerCluster cluster, ConsumerNode node, long ready, boolean off) {
    if (node.state() == NodeState.TOOBUSY) {
      shed(cluster, node, ready);
    } else {
      multiply(cluster, node, ready);
    }
    if (off && node.used()) {
      if (mostlyNormal(cluster) && random.nextDouble() < settings.emptyChance()) {
        empty(cluster, node, ready);
      } else if (random.nextDouble() < settings.consolidateChance()) {
        consolidate(cluster, node);
      }
    }
  }

  /** Moves one container away; it stays if no node accepts it (H-261). */
  private void shed(ConsumerCluster cluster, ConsumerNode node, long ready) {
    List<Container> own = node.containers();
    Container chosen = own.get(random.nextInt(own.size()));
    receiver(cluster, node, chosen).ifPresent(to -> cluster.move(node, chosen, to, ready));
  }

  private Optional<ConsumerNode> receiver(
      ConsumerCluster cluster, ConsumerNode from, Container container) {
    Predicate<ConsumerNode> takes =
        node ->
            node != from
                && node.used()
                && node.state() == NodeState.NORMAL
                && fits(node, container);
    Optional<ConsumerNode> normal =
        least(cluster, takes.and(node -> node.count(container.type()) > 0))
            .or(() -> least(cluster, takes));
    boolean crowded = !mostlyNormal(cluster) && random.nextDouble() < settings.idleChance();
    return normal.isPresent() || !crowded
        ? normal
        : least(cluster, node -> node.alive() && !node.used() && fits(node, container));
  }

  private static boolean fits(ConsumerNode node, Container container) {
    return node.hasCapacity(container.consumers());
  }

  private static Optional<ConsumerNode> least(
      ConsumerCluster cluster, Predicate<ConsumerNode> kind) {
    return cluster.nodes().stream()
        .filter(ConsumerNode::alive)
        .filter(kind)
        .min(Comparator.comparingDouble(ConsumerNode::load));
  }

  /** Starts a container of a kind of which many request capacity (H-262). */
  private void multiply(ConsumerCluster cluster, ConsumerNode node, long ready) {
    for (int type = 0; type < cluster.types().size(); type++) {
      boolean preferred =
          !cluster.types().get(type).single()
              && flagged(cluster, type) > settings.flagShare()
              && node.hasCapacity(settings.consumers());
      if (preferred && random.nextDouble() < settings.startChance()) {
        cluster.start(node, new Container(type, settings.consumers(), ready));
        return;
      }
    }
  }

  private static double flagged(ConsumerCluster cluster, int type) {
    int all = 0;
    int asking = 0;
    for (ConsumerNode node : cluster.nodes()) {
      all += node.count(type);
      asking += node.flagged(type) ? node.count(type) : 0;
    }
    return all == 0 ? 0 : (double) asking / all;
  }

  private boolean mostlyNormal(ConsumerCluster cluster) {
    long used = cluster.nodes().stream().filter(ConsumerNode::used).count();
    long normal =
        cluster.nodes().stream()
            .filter(ConsumerNode::used)
            .filter(node -> node.state() == NodeState.NORMAL)
            .count();
    return used > 0 && normal >= settings.normalShare() * used;
  }

  /** Moves all of its containers to other used nodes, or none. */
  private void empty(ConsumerCluster cluster, ConsumerNode node, long ready) {
    List<ConsumerNode> receivers = new ArrayList<>();
    List<Container> placed = new ArrayList<>();
    for (Container one : List.copyOf(node.containers())) {
      Optional<ConsumerNode> to =
          least(
              cluster,
              other ->
                  other != node
                      && other.used()
                      && other.state() == NodeState.NORMAL
                      && other.hasCapacity(one.consumers() + promised(other, receivers, placed))
                      && twice(cluster, node, other, one.type()));
      if (to.isEmpty()) {
        return;
      }
      receivers.add(to.get());
      placed.add(one);
    }
    for (int i = 0; i < placed.size(); i++) {
      cluster.move(node, placed.get(i), receivers.get(i), ready);
    }
  }

  private static int promised(
      ConsumerNode node, List<ConsumerNode> receivers, List<Container> placed) {
    int sum = 0;
    for (int i = 0; i < receivers.size(); i++) {
      sum += receivers.get(i) == node ? placed.get(i).consumers() : 0;
    }
    return sum;
  }

  /** Whether the kind still runs on two nodes after such a move. */
  private static boolean twice(
      ConsumerCluster cluster, ConsumerNode from, ConsumerNode to, int type) {
    return cluster.types().get(type).single()
        || cluster.nodes().stream()
            .anyMatch(node -> node != from && node != to && node.count(type) > 0);
  }

  private static void consolidate(ConsumerCluster cluster, ConsumerNode node) {
    for (Container one : List.copyOf(node.containers())) {
      if (node.count(one.type()) > 1) {
        cluster.stop(node, one);
        return;
      }
    }
  }

  /** Restores each kind to two nodes, single ones to one, once losses are detected (H-263). */
  private void restore(ConsumerCluster cluster, long step, long ready) {
    CapacityDay day = cluster.day();
    boolean unnoticed = step >= day.lossFrom() && step < day.lossFrom() + day.noticed();
    for (int type = 0; type < cluster.types().size() && !unnoticed; type++) {
      int preferred = cluster.types().get(type).single() ? 1 : 2;
      long there = holders(cluster, type);
      if (there < preferred) {
        int missing = type;
        least(cluster, node -> node.count(missing) == 0 && node.hasCapacity(settings.consumers()))
            .ifPresent(
                node -> cluster.start(node, new Container(missing, settings.consumers(), ready)));
      }
    }
  }

  private static long holders(ConsumerCluster cluster, int type) {
    return cluster.nodes().stream().filter(node -> node.count(type) > 0).count();
  }
}

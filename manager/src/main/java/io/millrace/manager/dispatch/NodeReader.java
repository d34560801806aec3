package io.millrace.manager.dispatch;

import io.millrace.manager.job.BookedCapacityDao.Booked;
import io.millrace.manager.node.NodeRow;
import io.millrace.manager.placement.Amounts;
import io.millrace.manager.placement.NodeFacts;
import io.millrace.manager.placement.PlacementNode;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Puts together what placement sees of the nodes of a pool. Thread-safe. */
final class NodeReader {
  private final Denylist closures;

  NodeReader(Denylist closures) {
    this.closures = closures;
  }

  List<PlacementNode> read(
      Handle handle, String pool, List<NodeRow> employed, List<Booked> booked, Instant now) {
    Map<UUID, Taken> taken = new HashMap<>();
    booked.forEach(one -> taken.merge(one.node(), Taken.of(one), Taken::plus));
    Map<UUID, Map<String, String>> closed = closures.reasons(handle, now);
    Map<UUID, Map<String, String>> trials = closures.trials(handle, now);
    return employed.stream()
        .filter(node -> node.pools().contains(pool))
        .map(
            node ->
                node(
                    node,
                    taken.getOrDefault(node.id(), Taken.NOTHING),
                    closed.getOrDefault(node.id(), Map.of()),
                    trials.getOrDefault(node.id(), Map.of()),
                    now))
        .toList();
  }

  private static PlacementNode node(
      NodeRow node,
      Taken taken,
      Map<String, String> closures,
      Map<String, String> trials,
      Instant now) {
    return new PlacementNode(
        node.id(),
        node.name(),
        node.near(),
        node.capacity(),
        NodeFacts.of(node.name(), node.capacity(), node.pools(), node.attributes()),
        taken.all,
        taken.lasting,
        taken.programs,
        taken.unstarted,
        node.takesJobs(now) ? null : closed(node, now),
        closures,
        trials);
  }

  private static String closed(NodeRow node, Instant now) {
    if (!node.leaseUntil().isAfter(now)) {
      return "is silent";
    }
    return switch (node.duty(now)) {
      case ACTIVE -> "takes no new jobs, because its disk is full or it is about to stop";
      case DRAINING, MAINTENANCE -> "is in " + node.duty(now).name().toLowerCase(Locale.ROOT);
    };
  }

  /** What attempts of one node have booked. */
  private record Taken(Amounts all, Amounts lasting, int programs, int unstarted) {
    static final Taken NOTHING = new Taken(Amounts.NONE, Amounts.NONE, 0, 0);

    static Taken of(Booked booked) {
      Map<String, Integer> resources = new HashMap<>();
      booked.resources().forEach((name, amount) -> resources.put(name, amount * booked.attempts()));
      Amounts all =
          new Amounts(booked.slots(), booked.cpuMillis(), booked.memoryBytes(), resources);
      return new Taken(
          all, booked.lasting() ? all : Amounts.NONE, booked.programs(), booked.unstarted());
    }

    Taken plus(Taken other) {
      return new Taken(
          all.plus(other.all),
          lasting.plus(other.lasting),
          programs + other.programs,
          unstarted + other.unstarted);
    }
  }
}

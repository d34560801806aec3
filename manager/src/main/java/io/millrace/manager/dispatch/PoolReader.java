package io.millrace.manager.dispatch;

import io.millrace.api.node.AcceptedUsers;
import io.millrace.manager.dispatch.ShapeQueueReader.ShapeQueues;
import io.millrace.manager.job.BookedCapacityDao;
import io.millrace.manager.job.BookedCapacityDao.BookedGroup;
import io.millrace.manager.node.NodeDao;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.node.NodeRow;
import io.millrace.manager.placement.FairShareDao;
import io.millrace.manager.placement.LicenceDao;
import io.millrace.manager.placement.NodeFacts;
import io.millrace.manager.placement.NodeTest.NodeTests;
import io.millrace.manager.placement.PerNodeLimit;
import io.millrace.manager.placement.PlacementNode;
import io.millrace.manager.placement.PlacementNode.Amounts;
import io.millrace.manager.placement.PlacementSnapshot;
import io.millrace.manager.placement.PlacementSnapshot.LicenceStock;
import io.millrace.manager.placement.PlacementSnapshot.PlacementSettings;
import io.millrace.manager.placement.ShapeDao;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Reads the snapshots that placement decides from. Thread-safe. */
public final class PoolReader {
  /**
   * A snapshot of a pool.
   *
   * @param snapshot the input of the placement
   * @param nextDue when the next job may start of a shape without due jobs; null for none
   */
  record PoolSnapshot(PlacementSnapshot snapshot, Instant nextDue) {}

  /**
   * The resources that the caller's transaction may book.
   *
   * @param nodes nodes whose bookings are locked
   * @param licences totals of the locked licences
   */
  record Locked(Set<UUID> nodes, Map<String, Integer> licences) {
    static final Locked NOTHING = new Locked(Set.of(), Map.of());
  }

  private final NodeDao nodes = new NodeDao();
  private final BookedCapacityDao bookings = new BookedCapacityDao();
  private final LicenceDao licences = new LicenceDao();
  private final FairShareDao shares = new FairShareDao();
  private final ShapeQueueReader queues;
  private final NodeReader nodeReader;
  private final NodeTests tests;
  private final PlacementSettings settings;

  public PoolReader(
      ShapeDao shapes, NodeTests tests, DenylistService denylist, PlacementSettings settings) {
    this.queues = new ShapeQueueReader(shapes, ShapeQueueReader.MAX_SHAPES);
    this.nodeReader = new NodeReader(denylist);
    this.tests = tests;
    this.settings = settings;
  }

  PlacementSettings settings() {
    return settings;
  }

  /** The pool without its waiting jobs, for explanations; locks nothing. */
  public PlacementSnapshot peek(Handle handle, String pool, Instant now) {
    List<NodeRow> active =
        nodes.list(handle, NodeKind.EXECUTION).stream().filter(node -> !node.lost()).toList();
    return snapshot(
        handle, pool, active, licences.totals(handle), new ShapeQueues(List.of(), null), now);
  }

  /** The waiting jobs of a pool, by shape; locks nothing. */
  ShapeQueues shapeQueues(Handle handle, String pool, Instant now) {
    return queues.read(handle, pool, now);
  }

  /**
   * Locks what placing these jobs may book, so that what is seen as free stays free until the
   * caller's transaction ends: the bookings of the nodes that take jobs of the pool, then the
   * licences that the jobs request, each in order. Locks nothing when nothing is due. Rows of nodes
   * are not locked, so that their heartbeats are not delayed.
   */
  Locked lock(Handle handle, String pool, ShapeQueues waiting, Instant now) {
    if (waiting.due().isEmpty()) {
      return Locked.NOTHING;
    }
    Set<UUID> candidates =
        nodes.employed(handle).stream()
            .filter(node -> node.pools().contains(pool) && node.takesJobs(now))
            .map(NodeRow::id)
            .collect(Collectors.toSet());
    Set<UUID> held = nodes.lockBookings(handle, candidates);
    Set<String> asked =
        waiting.due().stream()
            .flatMap(queue -> queue.shape().licences().keySet().stream())
            .collect(Collectors.toSet());
    return new Locked(held, licences.lockTotals(handle, asked));
  }

  /**
   * Reads the pool after {@link #lock}. A node that began to take jobs since then waits for the
   * next dispatch.
   */
  PoolSnapshot read(Handle handle, String pool, ShapeQueues waiting, Locked locked, Instant now) {
    List<NodeRow> seen =
        nodes.employed(handle).stream()
            .filter(node -> locked.nodes().contains(node.id()) || !node.takesJobs(now))
            .toList();
    return new PoolSnapshot(
        snapshot(handle, pool, seen, locked.licences(), waiting, now), waiting.nextDue());
  }

  private PlacementSnapshot snapshot(
      Handle handle,
      String pool,
      List<NodeRow> active,
      Map<String, Integer> totals,
      ShapeQueues waiting,
      Instant now) {
    List<BookedGroup> booked = bookings.groups(handle);
    Set<String> consumables = consumables(waiting, booked);
    Set<String> names =
        waiting.due().stream().map(queue -> queue.shape().share()).collect(Collectors.toSet());
    return new PlacementSnapshot(
        pool,
        now,
        waiting.due(),
        nodeReader.read(handle, pool, active, booked, now).stream()
            .map(node -> node.withCapacity(PerNodeLimit.in(node.capacity(), consumables)))
            .toList(),
        stocks(totals, booked),
        shares.turns(handle, pool, names),
        shares.virtualTime(handle, pool),
        tests,
        settings);
  }

  /** The consumables of nodes that jobs have booked or request. */
  private static Set<String> consumables(ShapeQueues waiting, List<BookedGroup> booked) {
    Set<String> names = new HashSet<>();
    waiting.due().forEach(queue -> names.addAll(queue.shape().resources().keySet()));
    booked.forEach(one -> names.addAll(one.resources().keySet()));
    return names;
  }

  private static Map<String, LicenceStock> stocks(
      Map<String, Integer> totals, List<BookedGroup> booked) {
    Map<String, Integer> used = new HashMap<>();
    for (BookedGroup one : booked) {
      one.licences()
          .forEach((name, amount) -> used.merge(name, amount * one.attempts(), Integer::sum));
    }
    return totals.entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                entry -> new LicenceStock(entry.getValue(), used.getOrDefault(entry.getKey(), 0))));
  }

  /** Assembles what placement sees of the nodes of a pool. Thread-safe. */
  private static final class NodeReader {
    private final DenylistService denylist;

    NodeReader(DenylistService denylist) {
      this.denylist = denylist;
    }

    List<PlacementNode> read(
        Handle handle, String pool, List<NodeRow> active, List<BookedGroup> booked, Instant now) {
      Map<UUID, Taken> taken = new HashMap<>();
      booked.forEach(one -> taken.merge(one.node(), Taken.of(one), Taken::plus));
      Map<UUID, Map<String, String>> denials = denylist.reasons(handle, now);
      Map<UUID, Map<String, String>> trials = denylist.trials(handle, now);
      return active.stream()
          .filter(node -> node.pools().contains(pool))
          .map(
              node ->
                  node(
                      node,
                      taken.getOrDefault(node.id(), Taken.NOTHING),
                      denials.getOrDefault(node.id(), Map.of()),
                      trials.getOrDefault(node.id(), Map.of()),
                      now))
          .toList();
    }

    private static PlacementNode node(
        NodeRow node,
        Taken taken,
        Map<String, String> denials,
        Map<String, String> trials,
        Instant now) {
      return new PlacementNode(
          node.id(),
          node.name(),
          node.near(),
          node.capacity(),
          NodeFacts.of(node.name(), node.capacity(), node.pools(), node.attributes()),
          taken.all,
          taken.restarting,
          taken.programs,
          taken.unstarted,
          node.takesJobs(now) ? null : unavailable(node, now),
          denials,
          trials,
          AcceptedUsers.of(node.attributes()));
    }

    private static String unavailable(NodeRow node, Instant now) {
      if (!node.leaseUntil().isAfter(now)) {
        return "is silent";
      }
      return switch (node.requested(now)) {
        case ACTIVE -> "takes no new jobs, because its disk is full or it is about to stop";
        case MAINTENANCE -> "is in maintenance";
        default -> "is draining";
      };
    }

    /** What the attempts of one node have booked. */
    private record Taken(Amounts all, Amounts restarting, int programs, int unstarted) {
      static final Taken NOTHING = new Taken(Amounts.NONE, Amounts.NONE, 0, 0);

      static Taken of(BookedGroup booked) {
        Map<String, Integer> resources = new HashMap<>();
        booked
            .resources()
            .forEach((name, amount) -> resources.put(name, amount * booked.attempts()));
        Amounts all =
            new Amounts(booked.slots(), booked.cpuMillis(), booked.memoryBytes(), resources);
        return new Taken(
            all, booked.restarting() ? all : Amounts.NONE, booked.programs(), booked.unstarted());
      }

      Taken plus(Taken other) {
        return new Taken(
            all.plus(other.all),
            restarting.plus(other.restarting),
            programs + other.programs,
            unstarted + other.unstarted);
      }
    }
  }
}

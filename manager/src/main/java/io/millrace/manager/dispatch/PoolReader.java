package io.millrace.manager.dispatch;

import io.millrace.manager.dispatch.ShapeQueueReader.Lines;
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
   * What there is to decide.
   *
   * @param snapshot the pool
   * @param nextDue when the next job of a line without a due one may start; null for none
   */
  record Look(PlacementSnapshot snapshot, Instant nextDue) {}

  /**
   * What the caller's transaction may book of.
   *
   * @param nodes whose bookings are locked
   * @param licences totals of those that are locked
   */
  record Locked(Set<UUID> nodes, Map<String, Integer> licences) {
    static final Locked NOTHING = new Locked(Set.of(), Map.of());
  }

  private final NodeDao nodes = new NodeDao();
  private final BookedCapacityDao bookings = new BookedCapacityDao();
  private final LicenceDao licences = new LicenceDao();
  private final FairShareDao shares = new FairShareDao();
  private final ShapeQueueReader lines;
  private final NodeReader nodeReader;
  private final NodeTests tests;
  private final PlacementSettings settings;

  public PoolReader(
      ShapeDao shapes, NodeTests tests, DenylistService denylist, PlacementSettings settings) {
    this.lines = new ShapeQueueReader(shapes, ShapeQueueReader.MOST_SHAPES);
    this.nodeReader = new NodeReader(denylist);
    this.tests = tests;
    this.settings = settings;
  }

  PlacementSettings settings() {
    return settings;
  }

  /** The pool without its lines, for explanations; locks nothing. */
  public PlacementSnapshot peek(Handle handle, String pool, Instant now) {
    List<NodeRow> employed =
        nodes.list(handle, NodeKind.EXECUTION).stream().filter(node -> !node.lost()).toList();
    return snapshot(
        handle, pool, employed, licences.totals(handle), new Lines(List.of(), null), now);
  }

  /** The lines of a pool that may be placed now; locks nothing. */
  Lines lines(Handle handle, String pool, Instant now) {
    return lines.read(handle, pool, now);
  }

  /**
   * Locks what placing these lines may book, so that what is seen as free stays free until the
   * caller's transaction ends: the bookings of the nodes that take jobs of the pool, then the
   * licences that the lines ask for, each in order. Nothing when nothing is due. Rows of nodes stay
   * unlocked, so that their heartbeats go on.
   */
  Locked lock(Handle handle, String pool, Lines waiting, Instant now) {
    if (waiting.due().isEmpty()) {
      return Locked.NOTHING;
    }
    Set<UUID> wanted =
        nodes.employed(handle).stream()
            .filter(node -> node.pools().contains(pool) && node.takesJobs(now))
            .map(NodeRow::id)
            .collect(Collectors.toSet());
    Set<UUID> held = nodes.lockBookings(handle, wanted);
    Set<String> asked =
        waiting.due().stream()
            .flatMap(line -> line.shape().licences().keySet().stream())
            .collect(Collectors.toSet());
    return new Locked(held, licences.lockTotals(handle, asked));
  }

  /**
   * The pool as it is once that is locked. A node that takes jobs only since waits for the next.
   */
  Look look(Handle handle, String pool, Lines waiting, Locked locked, Instant now) {
    List<NodeRow> seen =
        nodes.employed(handle).stream()
            .filter(node -> locked.nodes().contains(node.id()) || !node.takesJobs(now))
            .toList();
    return new Look(
        snapshot(handle, pool, seen, locked.licences(), waiting, now), waiting.nextDue());
  }

  private PlacementSnapshot snapshot(
      Handle handle,
      String pool,
      List<NodeRow> employed,
      Map<String, Integer> totals,
      Lines waiting,
      Instant now) {
    List<BookedGroup> booked = bookings.groups(handle);
    Set<String> consumables = consumables(waiting, booked);
    Set<String> names =
        waiting.due().stream().map(line -> line.shape().share()).collect(Collectors.toSet());
    return new PlacementSnapshot(
        pool,
        now,
        waiting.due(),
        nodeReader.read(handle, pool, employed, booked, now).stream()
            .map(node -> node.with(PerNodeLimit.in(node.capacity(), consumables)))
            .toList(),
        stocks(totals, booked),
        shares.turns(handle, pool, names),
        shares.virtualTime(handle, pool),
        tests,
        settings);
  }

  /** Whatever jobs have, or ask for, of single nodes. */
  private static Set<String> consumables(Lines waiting, List<BookedGroup> booked) {
    Set<String> names = new HashSet<>();
    waiting.due().forEach(line -> names.addAll(line.shape().resources().keySet()));
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

  /** Puts together what placement sees of the nodes of a pool. Thread-safe. */
  private static final class NodeReader {
    private final DenylistService denylist;

    NodeReader(DenylistService denylist) {
      this.denylist = denylist;
    }

    List<PlacementNode> read(
        Handle handle, String pool, List<NodeRow> employed, List<BookedGroup> booked, Instant now) {
      Map<UUID, Taken> taken = new HashMap<>();
      booked.forEach(one -> taken.merge(one.node(), Taken.of(one), Taken::plus));
      Map<UUID, Map<String, String>> closed = denylist.reasons(handle, now);
      Map<UUID, Map<String, String>> trials = denylist.trials(handle, now);
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
      return switch (node.requested(now)) {
        case ACTIVE -> "takes no new jobs, because its disk is full or it is about to stop";
        case MAINTENANCE -> "is in maintenance";
        default -> "is draining";
      };
    }

    /** What attempts of one node have booked. */
    private record Taken(Amounts all, Amounts lasting, int programs, int unstarted) {
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
            lasting.plus(other.lasting),
            programs + other.programs,
            unstarted + other.unstarted);
      }
    }
  }
}

package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.placement.FreeCapacity.Licences;
import io.millrace.manager.placement.PlacementPlan.Placement;
import io.millrace.manager.placement.PlacementPlan.ShapeVerdict;
import io.millrace.manager.placement.PlacementPlan.ShareCharge;
import io.millrace.manager.placement.PlacementPlan.ShareTurn;
import io.millrace.manager.placement.PlacementSnapshot.PlacementSettings;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import io.millrace.manager.placement.PlacementSnapshot.ShapeQueue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Places jobs on nodes: line by line in turn (priority with ageing, fair share, age), each job on
 * the best node that has room (rank, beside its queue node, emptiest; M-02). A line that doesn't
 * fit now is passed over; room is kept for the first that fits a node's size and has waited long,
 * so that wide jobs don't starve. Stateless and deterministic.
 */
@Pure
public final class Placer {
  private final PlacementSnapshot snapshot;
  private final WaitMessages words;
  private final List<FreeCapacity> rooms;
  private final Licences licences;
  private final Turns turns;
  private final Queueing queueing;
  private final List<Placement> placements = new ArrayList<>();
  private final List<ShapeVerdict> waiting = new ArrayList<>();
  private boolean keeps;

  private Placer(PlacementSnapshot snapshot) {
    this.snapshot = snapshot;
    this.rooms = snapshot.nodes().stream().map(FreeCapacity::new).toList();
    this.licences = new Licences(snapshot.licences());
    this.words = new WaitMessages(snapshot.pool(), rooms, licences);
    this.turns = new Turns(snapshot.shares(), snapshot.virtualTime());
    this.queueing = new Queueing(snapshot.now(), snapshot.settings(), turns);
  }

  /** Decides; never books more than is free of anything, and no job twice. */
  public static PlacementPlan place(PlacementSnapshot snapshot) {
    return new Placer(snapshot).run();
  }

  private PlacementPlan run() {
    for (ShapeQueue line : snapshot.lines()) {
      NodeTest test = snapshot.tests().of(line.shape());
      queueing.add(new PendingQueue(line, new ShapeCandidate(line.shape(), test, rooms)));
    }
    PendingQueue next = queueing.next();
    while (next != null && placements.size() < snapshot.settings().mostJobs()) {
      step(next);
      next = queueing.next();
    }
    queueing.left().forEach(line -> waits(line, WaitMessages.TURN));
    return new PlacementPlan(placements, turns.charges(), waiting);
  }

  private void step(PendingQueue line) {
    if (!licences.enough(line.shape())) {
      leave(line, words.lackingLicence(line.shape()));
      return;
    }
    Optional<FreeCapacity> room = line.contender().best(line.head());
    if (room.isPresent()) {
      place(line, room.get());
    } else {
      passOver(line);
    }
  }

  private void place(PendingQueue line, FreeCapacity room) {
    ReadyJob job = line.head();
    room.take(line.shape());
    room.tries(job.definition());
    licences.take(line.shape());
    turns.charge(line.shape());
    placements.add(new Placement(job, line.shape(), room.node().id(), room.node().name()));
    line.placed();
    if (line.head() == null) {
      queueing.remove(line);
      if (line.oldestLeft() != null) {
        waits(line, words.why(line.contender(), line.oldestLeft()));
      }
    }
  }

  private void passOver(PendingQueue line) {
    ReadyJob job = line.head();
    WaitReason reason = words.why(line.contender(), job);
    keepRoom(line, job);
    if (!line.passOver()) {
      boolean taken = line.roomAtFirst() && reason.code() != WaitCode.RESERVED;
      leave(line, taken ? WaitMessages.TURN : reason);
    }
  }

  // For one at a time: what is kept for many is kept from all.
  private void keepRoom(PendingQueue line, ReadyJob job) {
    Duration patience = snapshot.settings().reserveAfter();
    if (!keeps
        && line.shape().slots() > 0
        && !job.readyAt().plus(patience).isAfter(snapshot.now())) {
      Optional<FreeCapacity> room = line.contender().worthKeeping(job, snapshot.now(), patience);
      room.ifPresent(kept -> kept.keepFor(line.contender()));
      keeps = room.isPresent();
    }
  }

  private void leave(PendingQueue line, WaitReason reason) {
    queueing.remove(line);
    waits(line, reason);
  }

  private void waits(PendingQueue line, WaitReason reason) {
    waiting.add(new ShapeVerdict(line.shapeId(), line.oldestLeft(), reason));
  }

  /**
   * Whose turn it is: by priority, raised by waiting; then the share that has come least far; then
   * the oldest job.
   *
   * <p>Lines of one priority age together, by the oldest job that some node could take. If each
   * aged by itself, those with the longer backlog would soon overtake by age, whatever the weights
   * of their shares; and one that can never run would lift others. Not thread-safe; lives for one
   * plan.
   */
  @Pure
  private static final class Queueing {
    private final Instant now;
    private final PlacementSettings settings;
    private final Comparator<PendingQueue> order;
    private final Map<Integer, List<PendingQueue>> byPriority = new TreeMap<>();

    Queueing(Instant now, PlacementSettings settings, Turns turns) {
      this.now = now;
      this.settings = settings;
      this.order =
          Comparator.comparingDouble((PendingQueue line) -> turns.pass(line.shape().share()))
              .thenComparing(line -> line.head().readyAt())
              .thenComparingLong(PendingQueue::shapeId);
    }

    void add(PendingQueue line) {
      byPriority.computeIfAbsent(line.shape().priority(), none -> new ArrayList<>()).add(line);
    }

    void remove(PendingQueue line) {
      byPriority.computeIfPresent(
          line.shape().priority(),
          (priority, lines) -> {
            lines.remove(line);
            return lines.isEmpty() ? null : lines;
          });
    }

    /** The line whose head is next; null when none is left. */
    PendingQueue next() {
      int highest = Integer.MIN_VALUE;
      PendingQueue first = null;
      for (Map.Entry<Integer, List<PendingQueue>> entry : byPriority.entrySet()) {
        int priority = entry.getKey() + steps(entry.getValue());
        if (first == null || priority >= highest) {
          PendingQueue best = entry.getValue().stream().min(order).orElseThrow();
          boolean before = first == null || priority > highest || order.compare(best, first) < 0;
          first = before ? best : first;
          highest = priority;
        }
      }
      return first;
    }

    /** All that are left, in no order that matters. */
    List<PendingQueue> left() {
      return byPriority.values().stream().flatMap(Collection::stream).toList();
    }

    private int steps(List<PendingQueue> lines) {
      Instant oldest = now;
      for (PendingQueue line : lines) {
        ReadyJob head = line.head();
        if (head.readyAt().isBefore(oldest) && line.contender().possible(head)) {
          oldest = head.readyAt();
        }
      }
      long steps = Duration.between(oldest, now).toNanos() / settings.ageing().toNanos();
      return (int) Math.min(steps, settings.mostSteps());
    }
  }

  /**
   * Stride scheduling over shares: each start moves its share forward by its cost over the share's
   * weight, and who has come least far goes first. A share that is new or was away begins where the
   * pool is, so that idling earns no credit. Not thread-safe; lives for one plan.
   */
  @Pure
  private static final class Turns {
    private static final ShareTurn NEW = new ShareTurn(1, 0);

    private final Map<String, ShareTurn> known;
    private final double virtualTime;
    private final Map<String, ShareCharge> charges = new HashMap<>();

    Turns(Map<String, ShareTurn> known, double virtualTime) {
      this.known = known;
      this.virtualTime = virtualTime;
    }

    double pass(String share) {
      ShareCharge charge = charges.get(share);
      return charge != null
          ? charge.pass()
          : Math.max(virtualTime, known.getOrDefault(share, NEW).pass());
    }

    void charge(Shape shape) {
      String share = shape.share();
      double from = pass(share);
      double weight = known.getOrDefault(share, NEW).weight();
      ShareCharge before = charges.get(share);
      charges.put(
          share,
          new ShareCharge(
              from + shape.cost() / weight,
              from,
              shape.slots() + (before == null ? 0 : before.slots())));
    }

    Map<String, ShareCharge> charges() {
      return charges;
    }
  }
}

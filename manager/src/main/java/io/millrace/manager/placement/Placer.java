package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.job.JobExplanation.NodeVerdict;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.placement.FreeCapacity.FreeLicences;
import io.millrace.manager.placement.PlacementPlan.JobVerdict;
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
 * Places jobs on nodes: queue by queue in turn (priority with ageing, fair share, age), each job on
 * the best node with enough free capacity (rank, on the host of its queue node, emptiest; M-02). A
 * queue whose job does not fit now is skipped; a node is reserved for the first job that fits its
 * size and has waited long, so that wide jobs do not starve. Stateless and deterministic.
 */
@Pure
public final class Placer {
  private final PlacementSnapshot snapshot;
  private final WaitMessages messages;
  private final List<FreeCapacity> nodes;
  private final FreeLicences licences;
  private final StrideScheduler turns;
  private final Queueing queueing;
  private final List<Placement> placements = new ArrayList<>();
  private final List<ShapeVerdict> waiting = new ArrayList<>();
  private boolean reserved;

  private Placer(PlacementSnapshot snapshot) {
    this.snapshot = snapshot;
    this.nodes = snapshot.nodes().stream().map(FreeCapacity::new).toList();
    this.licences = new FreeLicences(snapshot.licences());
    this.messages = new WaitMessages(snapshot.pool(), nodes, licences);
    this.turns = new StrideScheduler(snapshot.shares(), snapshot.virtualTime());
    this.queueing = new Queueing(snapshot.now(), snapshot.settings(), turns);
  }

  /** Decides; never books more than is free, and places no job twice. */
  public static PlacementPlan place(PlacementSnapshot snapshot) {
    return new Placer(snapshot).run();
  }

  /**
   * What each node of the pool would answer to a job if it were alone.
   *
   * @param snapshot its pool; the waiting jobs in it do not matter
   * @param shape what it requests
   * @param near the queue node that it prefers; null for none
   * @param definition the key under which earlier runs of the same job are found
   */
  public static JobVerdict explain(
      PlacementSnapshot snapshot, Shape shape, String near, String definition) {
    List<FreeCapacity> nodes = snapshot.nodes().stream().map(FreeCapacity::new).toList();
    FreeLicences licences = new FreeLicences(snapshot.licences());
    WaitMessages messages = new WaitMessages(snapshot.pool(), nodes, licences);
    ShapeCandidate candidate = new ShapeCandidate(shape, snapshot.tests().of(shape), nodes);
    ReadyJob job = new ReadyJob(0, snapshot.now(), near, definition);
    List<NodeVerdict> verdicts =
        nodes.stream()
            .map(node -> new NodeVerdict(node.node().name(), messages.why(candidate, job, node)))
            .sorted(Comparator.comparing(NodeVerdict::node))
            .toList();
    if (!licences.enough(shape)) {
      return new JobVerdict(messages.lackingLicence(shape), verdicts);
    }
    boolean accepted = verdicts.stream().anyMatch(verdict -> verdict.reason() == null);
    return new JobVerdict(accepted ? null : messages.why(candidate, job), verdicts);
  }

  private PlacementPlan run() {
    for (ShapeQueue queue : snapshot.queues()) {
      NodeTest test = snapshot.tests().of(queue.shape());
      queueing.add(new PendingQueue(queue, new ShapeCandidate(queue.shape(), test, nodes)));
    }
    PendingQueue next = queueing.next();
    while (next != null && placements.size() < snapshot.settings().mostJobs()) {
      step(next);
      next = queueing.next();
    }
    queueing.left().forEach(queue -> waits(queue, WaitMessages.TURN));
    return new PlacementPlan(placements, turns.charges(), waiting);
  }

  private void step(PendingQueue queue) {
    if (!licences.enough(queue.shape())) {
      leave(queue, messages.lackingLicence(queue.shape()));
      return;
    }
    Optional<FreeCapacity> node = queue.candidate().best(queue.head());
    if (node.isPresent()) {
      place(queue, node.get());
    } else {
      passOver(queue);
    }
  }

  private void place(PendingQueue queue, FreeCapacity node) {
    ReadyJob job = queue.head();
    node.take(queue.shape());
    node.tries(job.definition());
    if (queue.shape().user() != null) {
      node.tries(queue.shape().user().denialKey());
    }
    licences.take(queue.shape());
    turns.charge(queue.shape());
    placements.add(new Placement(job, queue.shape(), node.node().id(), node.node().name()));
    queue.placed();
    if (queue.head() == null) {
      queueing.remove(queue);
      if (queue.oldestLeft() != null) {
        waits(queue, messages.why(queue.candidate(), queue.oldestLeft()));
      }
    }
  }

  private void passOver(PendingQueue queue) {
    ReadyJob job = queue.head();
    WaitReason reason = messages.why(queue.candidate(), job);
    reserveNode(queue, job);
    if (!queue.passOver()) {
      boolean lostItsTurn = queue.fittedAtFirst() && reason.code() != WaitCode.RESERVED;
      leave(queue, lostItsTurn ? WaitMessages.TURN : reason);
    }
  }

  // Only one at a time: what is reserved for many is available to none.
  private void reserveNode(PendingQueue queue, ReadyJob job) {
    Duration reserveAfter = snapshot.settings().reserveAfter();
    if (!reserved
        && queue.shape().slots() > 0
        && !job.readyAt().plus(reserveAfter).isAfter(snapshot.now())) {
      Optional<FreeCapacity> node =
          queue.candidate().nodeToReserve(job, snapshot.now(), reserveAfter);
      node.ifPresent(reservable -> reservable.reserveFor(queue.candidate()));
      reserved = node.isPresent();
    }
  }

  private void leave(PendingQueue queue, WaitReason reason) {
    queueing.remove(queue);
    waits(queue, reason);
  }

  private void waits(PendingQueue queue, WaitReason reason) {
    waiting.add(new ShapeVerdict(queue.shapeId(), queue.oldestLeft(), reason));
  }

  /**
   * Decides whose turn it is: by priority, which rises with waiting; then by the share that has
   * used least; then by the oldest job.
   *
   * <p>Queues of one priority age together, by the oldest job that some node could take. If each
   * aged by itself, those with the longer backlog would soon go first by age, whatever the weights
   * of their shares; and a job that can never run would raise others. Not thread-safe; used for one
   * plan.
   */
  @Pure
  private static final class Queueing {
    private final Instant now;
    private final PlacementSettings settings;
    private final Comparator<PendingQueue> order;
    private final Map<Integer, List<PendingQueue>> byPriority = new TreeMap<>();

    Queueing(Instant now, PlacementSettings settings, StrideScheduler turns) {
      this.now = now;
      this.settings = settings;
      this.order =
          Comparator.comparingDouble((PendingQueue queue) -> turns.pass(queue.shape().share()))
              .thenComparing(queue -> queue.head().readyAt())
              .thenComparingLong(PendingQueue::shapeId);
    }

    void add(PendingQueue queue) {
      byPriority.computeIfAbsent(queue.shape().priority(), none -> new ArrayList<>()).add(queue);
    }

    void remove(PendingQueue queue) {
      byPriority.computeIfPresent(
          queue.shape().priority(),
          (priority, queues) -> {
            queues.remove(queue);
            return queues.isEmpty() ? null : queues;
          });
    }

    /** The queue whose head is next; null when none is left. */
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

    /** All that are left, in any order. */
    List<PendingQueue> left() {
      return byPriority.values().stream().flatMap(Collection::stream).toList();
    }

    private int steps(List<PendingQueue> queues) {
      Instant oldest = now;
      for (PendingQueue queue : queues) {
        ReadyJob head = queue.head();
        if (head.readyAt().isBefore(oldest) && queue.candidate().possible(head)) {
          oldest = head.readyAt();
        }
      }
      long steps = Duration.between(oldest, now).toNanos() / settings.ageing().toNanos();
      return (int) Math.min(steps, settings.mostSteps());
    }
  }

  /**
   * Stride scheduling over shares: each start advances its share by its cost divided by the share's
   * weight, and the share with the lowest pass goes first. A share that is new or was idle begins
   * at the pool's virtual time, so that idling earns no credit. Not thread-safe; used for one plan.
   */
  @Pure
  private static final class StrideScheduler {
    private static final ShareTurn NEW = new ShareTurn(1, 0);

    private final Map<String, ShareTurn> known;
    private final double virtualTime;
    private final Map<String, ShareCharge> charges = new HashMap<>();

    StrideScheduler(Map<String, ShareTurn> known, double virtualTime) {
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

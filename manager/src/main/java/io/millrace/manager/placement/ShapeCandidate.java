package io.millrace.manager.placement;

import io.millrace.api.Pure;
import io.millrace.api.job.WaitCode;
import io.millrace.manager.placement.PlacementSnapshot.ReadyJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The jobs of one shape and the nodes that could ever take them. Not thread-safe; used for one
 * plan.
 */
@Pure
final class ShapeCandidate {
  // Names are unique; they make the order total, hence the plan deterministic.
  private static final Comparator<FreeCapacity> EMPTIEST =
      Comparator.comparingDouble((FreeCapacity node) -> -node.freeFraction())
          .thenComparing(node -> node.node().name());
  private static final Comparator<FreeCapacity> FEWEST_PROGRAMS =
      Comparator.comparingInt(FreeCapacity::programs).thenComparing(EMPTIEST);

  /** A node that matches the requirement and is large enough, with its rank. */
  private record Possible(FreeCapacity free, double rank) {}

  private final Shape shape;
  private final NodeTest test;
  private final List<Possible> possible = new ArrayList<>();
  private final Comparator<FreeCapacity> spreading;
  private final boolean uniform;

  ShapeCandidate(Shape shape, NodeTest test, List<FreeCapacity> nodes) {
    this.shape = shape;
    this.test = test;
    this.spreading = shape.slots() == 0 ? FEWEST_PROGRAMS : EMPTIEST;
    for (FreeCapacity free : nodes) {
      if (free.largeEnough(shape) && test.accepts(free.node()) && acceptsUser(free)) {
        possible.add(new Possible(free, test.rank(free.node())));
      }
    }
    this.uniform =
        possible.stream()
            .allMatch(
                one ->
                    !one.free.node().capacity().onlyAsked()
                        && one.free.node().denials().isEmpty()
                        && one.free.node().trials().isEmpty());
  }

  Shape shape() {
    return shape;
  }

  NodeTest test() {
    return test;
  }

  /** Whether all its jobs wait for the same reason. */
  boolean uniform() {
    return uniform;
  }

  /** Whether a node would take the job if it were empty. */
  boolean possible(ReadyJob job) {
    return possible.stream().anyMatch(one -> obstacleOfJob(one.free, job) == null);
  }

  /** The best node that takes the job now. */
  Optional<FreeCapacity> best(ReadyJob job) {
    Possible best = null;
    for (Possible one : possible) {
      if (takes(one.free) && obstacleOfJob(one.free, job) == null) {
        best = best == null || better(one, best, job) ? one : best;
      }
    }
    return best == null ? Optional.empty() : Optional.of(best.free);
  }

  private boolean acceptsUser(FreeCapacity free) {
    return shape.user() == null || shape.user().acceptedBy(free.node());
  }

  private boolean takes(FreeCapacity free) {
    return free.hasSlotsFor(shape) && free.hasRestFor(shape) && !free.reservedFrom(this);
  }

  private boolean better(Possible left, Possible right, ReadyJob job) {
    int byFailures = Integer.compare(failures(left.free, job), failures(right.free, job));
    if (byFailures != 0) {
      return byFailures < 0;
    }
    String near = job.near();
    int byRank = Double.compare(left.rank, right.rank);
    if (byRank != 0) {
      return byRank > 0;
    }
    boolean sameHost = sameHost(left.free, near);
    if (sameHost != sameHost(right.free, near)) {
      return sameHost;
    }
    return spreading.compare(left.free, right.free) < 0;
  }

  private static int failures(FreeCapacity free, ReadyJob job) {
    return job.failures().getOrDefault(free.node().id(), 0);
  }

  private static boolean sameHost(FreeCapacity free, String near) {
    return near != null && near.equals(free.node().near());
  }

  /** Why the node does not take the job; null if it does. */
  Obstacle obstacle(FreeCapacity free, ReadyJob job) {
    if (!test.accepts(free.node())) {
      return Obstacle.NO_MATCH;
    }
    if (!acceptsUser(free)) {
      return Obstacle.NO_USER;
    }
    if (!free.largeEnough(shape)) {
      return Obstacle.TOO_LARGE;
    }
    Obstacle ofJob = obstacleOfJob(free, job);
    if (ofJob != null) {
      return ofJob;
    }
    if (!free.hasSlotsFor(shape)) {
      return Obstacle.NO_SLOT;
    }
    if (!free.hasRestFor(shape)) {
      return Obstacle.NO_RESOURCE;
    }
    return free.reservedFrom(this) ? Obstacle.RESERVED : null;
  }

  private Obstacle obstacleOfJob(FreeCapacity free, ReadyJob job) {
    PlacementNode node = free.node();
    if (node.capacity().onlyAsked() && !test.namesNodes() && !sameHost(free, job.near())) {
      return Obstacle.NOT_ASKED;
    }
    if (node.unavailable() != null) {
      return Obstacle.UNAVAILABLE;
    }
    return denial(free, job) != null ? Obstacle.QUICK_FAILURES : null;
  }

  /** Why the definition or the user of the job is denied to the node; null if neither is. */
  String denial(FreeCapacity free, ReadyJob job) {
    String denial = free.denial(job.definition());
    return denial != null || shape.user() == null ? denial : free.denial(shape.user().denialKey());
  }

  /**
   * The node to reserve for a job that fits its size but not its free capacity: the emptiest, and
   * another one each time ten times {@code reserveAfter} has passed, in case jobs there run for
   * long.
   */
  Optional<FreeCapacity> nodeToReserve(ReadyJob job, Instant now, Duration reserveAfter) {
    List<FreeCapacity> nodes =
        possible.stream()
            .map(Possible::free)
            .filter(free -> obstacleOfJob(free, job) == null && free.largeEnoughInTime(shape))
            .sorted(EMPTIEST)
            .toList();
    if (nodes.isEmpty()) {
      return Optional.empty();
    }
    long waited = Duration.between(job.readyAt(), now).toMillis();
    long turn = waited / Math.max(1, 10 * reserveAfter.toMillis());
    return Optional.of(nodes.get((int) (turn % nodes.size())));
  }

  /**
   * Why a node does not take a job, in the order of the checks: later ones are closer to
   * acceptance.
   */
  @Pure
  enum Obstacle {
    NO_MATCH(WaitCode.NO_MATCH),
    NO_USER(WaitCode.NO_USER),
    TOO_LARGE(WaitCode.TOO_LARGE),
    NOT_ASKED(WaitCode.NOT_ASKED),
    UNAVAILABLE(WaitCode.NODES_CLOSED),
    QUICK_FAILURES(WaitCode.QUICK_FAILURES),
    NO_SLOT(WaitCode.NO_SLOT),
    NO_RESOURCE(WaitCode.NO_RESOURCE),
    RESERVED(WaitCode.RESERVED);

    private final WaitCode code;

    Obstacle(WaitCode code) {
      this.code = code;
    }

    WaitCode code() {
      return code;
    }

    /** Whether the node would take the job if it were emptier. */
    boolean passes() {
      return compareTo(NO_SLOT) >= 0;
    }
  }
}

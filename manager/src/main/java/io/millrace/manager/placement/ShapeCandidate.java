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
 * The jobs of one shape and the nodes that could ever take them. Not thread-safe; lives for one
 * plan.
 */
@Pure
final class ShapeCandidate {
  // Names are unique; they make the order total, hence the plan deterministic.
  private static final Comparator<FreeCapacity> ROOMIEST =
      Comparator.comparingDouble((FreeCapacity room) -> -room.freePart())
          .thenComparing(room -> room.node().name());
  private static final Comparator<FreeCapacity> FEWEST_PROGRAMS =
      Comparator.comparingInt(FreeCapacity::programs).thenComparing(ROOMIEST);

  /** A node that fulfils what is required and is large enough, with its rank. */
  private record Possible(FreeCapacity room, double rank) {}

  private final Shape shape;
  private final NodeTest test;
  private final List<Possible> possible = new ArrayList<>();
  private final Comparator<FreeCapacity> spreading;
  private final boolean alike;

  ShapeCandidate(Shape shape, NodeTest test, List<FreeCapacity> rooms) {
    this.shape = shape;
    this.test = test;
    this.spreading = shape.slots() == 0 ? FEWEST_PROGRAMS : ROOMIEST;
    for (FreeCapacity room : rooms) {
      if (room.largeEnough(shape) && test.accepts(room.node())) {
        possible.add(new Possible(room, test.rank(room.node())));
      }
    }
    this.alike =
        possible.stream()
            .allMatch(
                one ->
                    !one.room.node().capacity().onlyAsked()
                        && one.room.node().closures().isEmpty()
                        && one.room.node().trials().isEmpty());
  }

  Shape shape() {
    return shape;
  }

  NodeTest test() {
    return test;
  }

  /** Whether what keeps one of its jobs waiting keeps all of them waiting. */
  boolean alike() {
    return alike;
  }

  /** Whether a node would take the job if only it were empty. */
  boolean possible(ReadyJob job) {
    return possible.stream().anyMatch(one -> obstacleOfJob(one.room, job) == null);
  }

  /** The best node that takes the job now. */
  Optional<FreeCapacity> best(ReadyJob job) {
    Possible best = null;
    for (Possible one : possible) {
      if (free(one.room) && obstacleOfJob(one.room, job) == null) {
        best = best == null || better(one, best, job.near()) ? one : best;
      }
    }
    return best == null ? Optional.empty() : Optional.of(best.room);
  }

  private boolean free(FreeCapacity room) {
    return room.hasSlotsFor(shape) && room.hasRestFor(shape) && !room.keptFrom(this);
  }

  private boolean better(Possible left, Possible right, String near) {
    int byRank = Double.compare(left.rank, right.rank);
    if (byRank != 0) {
      return byRank > 0;
    }
    boolean beside = beside(left.room, near);
    if (beside != beside(right.room, near)) {
      return beside;
    }
    return spreading.compare(left.room, right.room) < 0;
  }

  private static boolean beside(FreeCapacity room, String near) {
    return near != null && near.equals(room.node().near());
  }

  /** What keeps the job off the node; null for nothing. */
  Obstacle obstacle(FreeCapacity room, ReadyJob job) {
    if (!test.accepts(room.node())) {
      return Obstacle.NO_MATCH;
    }
    if (!room.largeEnough(shape)) {
      return Obstacle.TOO_LARGE;
    }
    Obstacle ofJob = obstacleOfJob(room, job);
    if (ofJob != null) {
      return ofJob;
    }
    if (!room.hasSlotsFor(shape)) {
      return Obstacle.NO_SLOT;
    }
    if (!room.hasRestFor(shape)) {
      return Obstacle.NO_RESOURCE;
    }
    return room.keptFrom(this) ? Obstacle.KEPT : null;
  }

  private Obstacle obstacleOfJob(FreeCapacity room, ReadyJob job) {
    PlacementNode node = room.node();
    if (node.capacity().onlyAsked() && !test.asks() && !beside(room, job.near())) {
      return Obstacle.NOT_ASKED;
    }
    if (node.closed() != null) {
      return Obstacle.CLOSED;
    }
    return room.closure(job.definition()) != null ? Obstacle.QUICK_FAILURES : null;
  }

  /**
   * The node to keep for a job that fits its size but not its free part: the emptiest, and every
   * ten times the patience another one, in case what runs there takes long.
   */
  Optional<FreeCapacity> worthKeeping(ReadyJob job, Instant now, Duration patience) {
    List<FreeCapacity> rooms =
        possible.stream()
            .map(Possible::room)
            .filter(room -> obstacleOfJob(room, job) == null && room.largeEnoughInTime(shape))
            .sorted(ROOMIEST)
            .toList();
    if (rooms.isEmpty()) {
      return Optional.empty();
    }
    long waited = Duration.between(job.readyAt(), now).toMillis();
    long turn = waited / Math.max(1, 10 * patience.toMillis());
    return Optional.of(rooms.get((int) (turn % rooms.size())));
  }

  /**
   * What keeps a job off a node, in the order in which it is asked: later ones are closer to yes.
   */
  @Pure
  enum Obstacle {
    NO_MATCH(WaitCode.NO_MATCH),
    TOO_LARGE(WaitCode.TOO_LARGE),
    NOT_ASKED(WaitCode.NOT_ASKED),
    CLOSED(WaitCode.NODES_CLOSED),
    QUICK_FAILURES(WaitCode.QUICK_FAILURES),
    NO_SLOT(WaitCode.NO_SLOT),
    NO_RESOURCE(WaitCode.NO_RESOURCE),
    KEPT(WaitCode.RESERVED);

    private final WaitCode code;

    Obstacle(WaitCode code) {
      this.code = code;
    }

    WaitCode code() {
      return code;
    }

    /** Whether the node would take the job if only it were emptier. */
    boolean passes() {
      return compareTo(NO_SLOT) >= 0;
    }
  }
}

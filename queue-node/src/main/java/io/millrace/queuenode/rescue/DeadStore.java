package io.millrace.queuenode.rescue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.queuenode.store.LogSegmentStore;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.SegmentStore.DeadChoice;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep.SweepStep;
import io.millrace.queuenode.store.SegmentTotals;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** The store of a dead host, used exclusively by this process. One thread at a time. */
final class DeadStore implements AutoCloseable {
  /** Longer than any lease. */
  private static final Duration EVERY_LEASE = Duration.ofDays(400);

  private static final String FOLDER = "store";

  private final String origin;
  private final SegmentStore store;
  private final HurriedClock clock;

  private DeadStore(String origin, SegmentStore store, HurriedClock clock) {
    this.origin = origin;
    this.store = store;
    this.clock = clock;
  }

  /** Whether a queue node has ever kept events in its data directory. */
  static boolean in(Path dataDirectory) {
    return Files.exists(dataDirectory.resolve(FOLDER).resolve("opened"));
  }

  /**
   * Opens the store in a queue node's data directory. Blocks.
   *
   * @throws MillraceException CONFIGURATION if there is none, STORE_FAILURE if a node uses it or it
   *     cannot be read
   */
  static DeadStore open(Path dataDirectory, Clock clock) {
    // An empty folder would become an empty store.
    if (!in(dataDirectory)) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "there is no store in "
              + dataDirectory
              + "; name the data directory of a queue node, the folder that holds 'store'");
    }
    HurriedClock hurried = new HurriedClock(clock);
    SegmentStore store = LogSegmentStore.open(dataDirectory.resolve(FOLDER), hurried);
    return new DeadStore(NodeIdFile.ensure(dataDirectory).toString(), store, hurried);
  }

  /** The id of the node whose store it is. */
  String origin() {
    return origin;
  }

  SegmentStore segments() {
    return store;
  }

  Map<String, SegmentTotals> totals() {
    return store.totals();
  }

  /** Why a queue's events cannot be read; empty if they can. */
  Optional<String> trouble(String queue) {
    return Optional.ofNullable(store.troubles().get(queue));
  }

  /** Makes a queue's dead letters ready. */
  void revive(String queue) {
    Optional<SegmentSweep> rest = Optional.of(SegmentSweep.ALL);
    while (rest.isPresent()) {
      SweepStep step = store.requeueDead(queue, DeadChoice.ALL, rest.get(), Long.MAX_VALUE);
      store.commit();
      rest = step.rest();
    }
  }

  /** Ends the leases of workers. Delays end too, so delayed events must be sent before. */
  void takeBack() {
    clock.hurry(EVERY_LEASE);
    while (store.due(DeadStore::mild)) {
      store.expire(DeadStore::mild);
      store.commit();
    }
  }

  /** Rescued events do not become dead letters. */
  private static QueueRules mild(String queue) {
    return QueueRules.of(new DeliveryLimits(Integer.MAX_VALUE, Integer.MAX_VALUE));
  }

  @Override
  public void close() {
    try {
      store.force();
    } finally {
      store.close();
    }
  }

  /**
   * The time of a store without workers, which can be moved forward so that leases expire. The wall
   * clock does not move, for the ages of events. One thread at a time.
   */
  private static final class HurriedClock implements Clock {
    private final Clock real;
    private Duration ahead = Duration.ZERO;

    HurriedClock(Clock real) {
      this.real = real;
    }

    /** Moves the time forward. */
    void hurry(Duration more) {
      ahead = ahead.plus(more);
    }

    @Override
    public Instant now() {
      return real.now();
    }

    @Override
    public long nanoTime() {
      return real.nanoTime() + ahead.toNanos();
    }
  }
}

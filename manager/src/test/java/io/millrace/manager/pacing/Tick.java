package io.millrace.manager.pacing;

import io.millrace.api.queue.NodeState;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import java.time.Duration;
import java.util.Optional;

/** Builds the snapshot of one tick; what a test does not name is zero, NORMAL or unknown. */
final class Tick {
  private final long waiting;
  private Duration since = Duration.ofSeconds(5);
  private long inserted;
  private long acknowledged;
  private Duration oldestAge = Duration.ZERO;
  private NodeState nodeState = NodeState.NORMAL;
  private int notStarted;
  private int running;
  private long notStartedCapacity;
  private long runningCapacity;
  private int finished;
  private int elsewhere;
  private Optional<Duration> startLatency = Optional.empty();
  private Optional<Duration> runTime = Optional.empty();

  private Tick(long waiting) {
    this.waiting = waiting;
  }

  static Tick waiting(long events) {
    return new Tick(events);
  }

  Tick since(Duration value) {
    since = value;
    return this;
  }

  Tick inserted(long value) {
    inserted = value;
    return this;
  }

  Tick acknowledged(long value) {
    acknowledged = value;
    return this;
  }

  Tick oldest(Duration value) {
    oldestAge = value;
    return this;
  }

  Tick node(NodeState value) {
    nodeState = value;
    return this;
  }

  Tick notStarted(int workers, long capacity) {
    notStarted = workers;
    notStartedCapacity = capacity;
    return this;
  }

  Tick running(int workers, long capacity) {
    running = workers;
    runningCapacity = capacity;
    return this;
  }

  Tick finished(int workers) {
    finished = workers;
    return this;
  }

  Tick elsewhere(int workers) {
    elsewhere = workers;
    return this;
  }

  Tick startLatency(Duration value) {
    startLatency = Optional.of(value);
    return this;
  }

  Tick runTime(Duration value) {
    runTime = Optional.of(value);
    return this;
  }

  PacingSnapshot snapshot() {
    return PacingSnapshot.of(since, queue(), workers());
  }

  QueueFigures queue() {
    return new QueueFigures(waiting, 0, inserted, acknowledged, oldestAge, nodeState);
  }

  WorkerFigures workers() {
    return new WorkerFigures(
        notStarted,
        running,
        notStartedCapacity,
        runningCapacity,
        0,
        finished,
        startLatency,
        runTime,
        notStarted + running + elsewhere);
  }
}

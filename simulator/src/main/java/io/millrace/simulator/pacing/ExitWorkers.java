package io.millrace.simulator.pacing;

import java.util.ArrayDeque;

/** Workers that take up to a batch when they start, and leave when it is done. */
final class ExitWorkers implements RunningWorkers {
  private static final double SMOOTHING = 0.3;

  private final int batch;
  private final long runSteps;
  private final WaitingEvents queue;
  private final SimulatedQueueNode node;
  private final RunTotals counts;
  private final ArrayDeque<Group> groups = new ArrayDeque<>();
  private int running;
  private long held;
  private double measured = -1;

  /** Workers that started at one step, and the events that they still hold. */
  private static final class Group {
    final long started;
    int workers;
    long events;

    Group(long started, int workers, long events) {
      this.started = started;
      this.workers = workers;
      this.events = events;
    }
  }

  ExitWorkers(
      int batch, long runSteps, WaitingEvents queue, SimulatedQueueNode node, RunTotals counts) {
    this.batch = batch;
    this.runSteps = runSteps;
    this.queue = queue;
    this.node = node;
    this.counts = counts;
  }

  @Override
  public int running() {
    return running;
  }

  @Override
  public long held() {
    return held;
  }

  @Override
  public long openCapacity() {
    return 0;
  }

  @Override
  public double runSteps() {
    return measured;
  }

  @Override
  public void start(long step, int workers) {
    if (workers == 0) {
      return;
    }
    long taken = queue.take(step, (long) workers * batch);
    int busy = (int) ((taken + batch - 1) / batch);
    counts.emptyRuns += workers - busy;
    counts.finished += workers - busy;
    if (busy > 0) {
      groups.add(new Group(step, busy, taken));
      running += busy;
      held += taken;
    }
  }

  @Override
  public void work(long step, double failing) {
    while (!groups.isEmpty() && groups.peekFirst().started + runSteps <= step) {
      Group first = groups.peekFirst();
      long done = node.finish(first.events);
      int left = (int) ((first.events - done + batch - 1) / batch);
      leave(first.workers - left, done, failing, step);
      first.workers = left;
      first.events -= done;
      if (first.events > 0) {
        return;
      }
      measure(step - first.started);
      groups.removeFirst();
    }
  }

  private void leave(int workers, long events, double failing, long step) {
    long failed = Math.round(events * failing);
    queue.comeBack(step, failed);
    counts.acknowledged += events - failed;
    counts.failedRuns += Math.round(workers * failing);
    counts.finished += workers;
    running -= workers;
    held -= events;
  }

  private void measure(long steps) {
    measured = measured < 0 ? steps : measured + SMOOTHING * (steps - measured);
  }
}

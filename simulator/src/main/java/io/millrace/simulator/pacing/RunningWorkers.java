package io.millrace.simulator.pacing;

import io.millrace.simulator.pacing.Scenario.Steps;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The running workers of the queue. Used by one thread. */
interface RunningWorkers {

  int running();

  /** Number of leased events. */
  long held();

  /** Number of events that they will lease without further workers. */
  long openCapacity();

  /** Smoothed steps in which a worker handles a full batch; negative while unknown. */
  double runSteps();

  /** Starts workers, which lease their first events. */
  void start(long step, int workers);

  /** Finishes completed events; workers lease more or exit. */
  void work(long step, double failing);

  /** Running totals of one simulation. Used by one thread. */
  final class RunTotals {
    long inserted;
    long acknowledged;
    long runs;
    long started;
    long finished;
    long emptyRuns;
    long failedRuns;
    long eventSteps;
    long mostWaiting;
    long oldestSteps;
    long heldSteps;
    int mostOutstanding;
  }

  /** Workers that lease up to a batch when they start, and exit when it is done. */
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

    /** Workers that started at the same step, and their leased events. */
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

  /**
   * Workers that lease repeatedly until they had a full batch, and wait for a while when there is
   * nothing. The worker that started first leases first, up to its limit.
   */
  final class LingerWorkers implements RunningWorkers {
    private final WorkerBehaviour model;
    private final double stepSeconds;
    private final WaitingEvents queue;
    private final SimulatedQueueNode node;
    private final RunTotals counts;
    private final double stepsPerEvent;
    private List<Worker> workers = new ArrayList<>();
    private List<Worker> remaining = new ArrayList<>();
    private int running;
    private long held;
    private long open;
    private boolean anyFinished;
    private double failures;

    /** One worker, or several that started together and have found no events yet. */
    private static final class Worker {
      final long started;
      int count = 1;
      long taken;
      long holding;
      double freeAt;

      Worker(long step) {
        started = step;
        freeAt = step;
      }
    }

    LingerWorkers(
        WorkerBehaviour model,
        double stepSeconds,
        WaitingEvents queue,
        SimulatedQueueNode node,
        RunTotals counts) {
      this.model = model;
      this.stepSeconds = stepSeconds;
      this.queue = queue;
      this.node = node;
      this.counts = counts;
      this.stepsPerEvent = Steps.exact(model.runTime(), stepSeconds) / model.batch();
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
      return open;
    }

    @Override
    public double runSteps() {
      return anyFinished ? stepsPerEvent * model.batch() : -1;
    }

    @Override
    public void start(long step, int count) {
      if (count > 0) {
        running += count;
        open += (long) count * model.batch();
        Worker together = new Worker(step);
        together.count = count;
        goOn(together, step, workers);
      }
    }

    @Override
    public void work(long step, double failing) {
      remaining.clear();
      for (Worker worker : workers) {
        if (worker.freeAt > step || !finish(worker, step, failing)) {
          remaining.add(worker);
        } else if (goesOn(worker, step)) {
          goOn(worker, step, remaining);
        } else {
          leave(worker);
        }
      }
      List<Worker> left = workers;
      workers = remaining;
      remaining = left;
    }

    /** Whether all of its leased events are done. */
    private boolean finish(Worker worker, long step, double failing) {
      if (worker.holding == 0) {
        return true;
      }
      long done = node.finish(worker.holding);
      worker.holding -= done;
      held -= done;
      anyFinished = true;
      failures += failing < 1 && done > 0 ? failing : 0;
      if (failing >= 1 || failures >= 1) {
        failures = Math.max(0, failures - 1);
        queue.comeBack(step, done);
        counts.failedRuns++;
        open -= model.batch() - worker.taken;
        worker.taken = model.batch();
      } else {
        counts.acknowledged += done;
      }
      return worker.holding == 0;
    }

    private boolean goesOn(Worker worker, long step) {
      boolean patient = (step - worker.freeAt) * stepSeconds < Steps.seconds(model.linger());
      boolean young = (step - worker.started) * stepSeconds < Steps.seconds(model.longestRun());
      return worker.taken < model.batch() && young && (patient || queue.waiting() > 0);
    }

    /** Each leases waiting events; workers that find none stay grouped. */
    private void goOn(Worker worker, long step, List<Worker> stay) {
      while (worker.count > 1 && queue.waiting() > 0) {
        Worker one = new Worker(worker.started);
        worker.count--;
        take(one, step);
        stay.add(one);
      }
      if (worker.count == 1) {
        take(worker, step);
      }
      stay.add(worker);
    }

    private void take(Worker worker, long step) {
      long taken = queue.take(step, model.batch() - worker.taken);
      if (taken > 0) {
        worker.taken += taken;
        worker.holding = taken;
        worker.freeAt = step + taken * stepsPerEvent;
        held += taken;
        open -= taken;
      }
    }

    private void leave(Worker worker) {
      running -= worker.count;
      open -= (model.batch() - worker.taken) * worker.count;
      counts.finished += worker.count;
      counts.emptyRuns += worker.taken == 0 ? worker.count : 0;
    }
  }
}

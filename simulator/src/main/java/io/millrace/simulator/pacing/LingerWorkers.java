package io.millrace.simulator.pacing;

import java.util.ArrayList;
import java.util.List;

/**
 * Workers that take again and again until they had a full batch, and wait a little when there is
 * nothing. The one that started first asks first, and takes all that waits as far as it may.
 */
final class LingerWorkers implements RunningWorkers {
  private final WorkerBehaviour model;
  private final double stepSeconds;
  private final WaitingEvents queue;
  private final SimulatedQueueNode node;
  private final RunTotals counts;
  private final double stepsPerEvent;
  private List<Worker> workers = new ArrayList<>();
  private List<Worker> staying = new ArrayList<>();
  private int running;
  private long held;
  private long open;
  private boolean anyFinished;
  private double failures;

  /** One worker, or several that started together and have found nothing yet. */
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
    staying.clear();
    for (Worker worker : workers) {
      if (worker.freeAt > step || !finish(worker, step, failing)) {
        staying.add(worker);
      } else if (goesOn(worker, step)) {
        goOn(worker, step, staying);
      } else {
        leave(worker);
      }
    }
    List<Worker> left = workers;
    workers = staying;
    staying = left;
  }

  /** Whether it is done with what it holds. */
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

  /** Lets each take what waits; those for whom nothing is left stay together. */
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

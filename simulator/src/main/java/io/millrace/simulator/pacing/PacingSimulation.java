package io.millrace.simulator.pacing;

import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSnapshot;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.PacingState;
import io.millrace.manager.pacing.PlaceAllowance;
import io.millrace.simulator.pacing.ComparedPolicies.ComparedPolicy;
import io.millrace.simulator.pacing.RunningWorkers.ExitWorkers;
import io.millrace.simulator.pacing.RunningWorkers.LingerWorkers;
import io.millrace.simulator.pacing.RunningWorkers.RunTotals;
import io.millrace.simulator.pacing.Scenario.Disturbance.Kind;
import io.millrace.simulator.pacing.Scenario.Steps;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Runs one policy through one scenario. In each step events arrive, waiting ones are counted,
 * workers finish, start and lease events, and at a tick the queue manager reads and decides;
 * workers that it submits can lease events at the next step at the earliest. Equal scenarios give
 * equal results. Used by one thread, once.
 */
public final class PacingSimulation {
  private final Scenario scenario;
  private final ComparedPolicy policy;
  private final double stepSeconds;
  private final long tickSteps;
  private final long arriving;
  private final long last;
  private final CompetingWorkers competing;
  private final PacingWatch watch;
  private final Arrivals arrivals;
  private final WaitingEvents queue;
  private final Starting starting = new Starting();
  private final RunTotals counts = new RunTotals();
  private final SimulatedQueueNode node;
  private final RunningWorkers active;
  private final EarlierDays earlier = new EarlierDays();
  private PacingState state = PacingState.initial();
  private PlaceAllowance allowance = PlaceAllowance.NONE;
  private int refilled;
  private long lastTick = -1;
  private long lastStarted;
  private long lastFinished;

  public PacingSimulation(Scenario scenario, ComparedPolicy policy) {
    this(scenario, policy, CompetingWorkers.NONE, PacingWatch.NONE);
  }

  /** A simulation that shares slots or caps with others; the caller calls {@link #advance}. */
  public PacingSimulation(
      Scenario scenario, ComparedPolicy policy, CompetingWorkers competing, PacingWatch watch) {
    this.scenario = scenario;
    this.policy = policy;
    this.competing = competing;
    this.watch = watch;
    this.stepSeconds = Steps.seconds(scenario.step());
    this.arriving = Math.max(1, Math.round(scenario.seconds() / stepSeconds));
    this.last = arriving + Math.round(scenario.drain() / stepSeconds);
    this.queue = new WaitingEvents(stepSeconds);
    this.tickSteps = Math.max(1, Math.round(Steps.exact(policy.settings().tick(), stepSeconds)));
    this.arrivals = new Arrivals(scenario.curve(), scenario.spread(), scenario.seed());
    this.node = new SimulatedQueueNode(scenario.cluster(), stepSeconds);
    WorkerBehaviour workers = scenario.workers();
    this.active =
        workers.kind() == WorkerBehaviour.Kind.LINGER
            ? new LingerWorkers(workers, stepSeconds, queue, node, counts)
            : new ExitWorkers(
                workers.batch(),
                Math.round(Steps.exact(workers.runTime(), stepSeconds)),
                queue,
                node,
                counts);
  }

  public PacingResult run() {
    return run(Curves.NONE);
  }

  /** Runs the simulation and collects points of the curves. */
  public PacingResult run(Curves curves) {
    for (long step = 0; goesOn(step); step++) {
      advance(step, curves);
    }
    return result();
  }

  /** Whether anything is left to simulate at this step. */
  public boolean goesOn(long step) {
    return step < arriving || (step < last && queue.waiting() > 0);
  }

  /** Simulates one step; steps are called in order from 0. */
  public void advance(long step, Curves curves) {
    double second = (step + 1) * stepSeconds;
    int events = step < arriving ? arrivals.until(second) : 0;
    queue.arrive(step, events);
    counts.inserted += events;
    work(step, second);
    int submitted = refill(step, second) + (step % tickSteps == 0 ? tick(step, second) : 0);
    counts.heldSteps += active.running();
    curves.note(second, events, submitted, queue.waiting(), queue.oldest(step) * stepSeconds);
  }

  public int running() {
    return active.running();
  }

  /** Number of workers submitted and not finished. */
  public int outstanding() {
    return starting.waiting() + active.running();
  }

  /** Total run time of all workers in seconds: the capacity held. */
  public double workerSeconds() {
    return counts.heldSteps * stepSeconds;
  }

  /** Waiting times of the leased events. */
  public Waits waits() {
    return queue.waits();
  }

  public long waiting() {
    return queue.waiting();
  }

  /** Age of the oldest waiting event at this step, in seconds. */
  public double oldest(long step) {
    return queue.oldest(step) * stepSeconds;
  }

  private void work(long step, double second) {
    long waiting = queue.waiting();
    counts.eventSteps += waiting;
    counts.mostWaiting = Math.max(counts.mostWaiting, waiting);
    counts.oldestSteps = Math.max(counts.oldestSteps, queue.oldest(step));
    node.begin(scenario.factor(Kind.SLOW_NODE, second), active.running());
    double failing =
        scenario.holds(Kind.FAILING_WORKERS, second)
            ? scenario.factor(Kind.FAILING_WORKERS, second)
            : 0;
    active.work(step, failing);
    if (!scenario.holds(Kind.NO_SERVICE, second)) {
      int started = starting.start(step, freeSlots(second));
      counts.started += started;
      active.start(step, started);
    }
  }

  private int freeSlots(double second) {
    int slots = (int) (scenario.cluster().slots() * scenario.factor(Kind.FEWER_SLOTS, second));
    return Math.max(0, slots - active.running() - competing.onSlots());
  }

  /** As the central manager does as workers end: starts what the last decision had no place for. */
  private int refill(long step, double second) {
    if (allowance.remaining() == 0 || scenario.holds(Kind.NO_MANAGER, second)) {
      return 0;
    }
    PacingLimits limits = policy.settings().limits();
    int workers =
        allowance.startable(
            node.state(),
            limits.maxWorkers() - outstanding() - competing.ofQueue(),
            limits.maxNotStarted() - starting.waiting());
    allowance = allowance.without(workers);
    refilled += workers;
    submit(step, second, workers);
    return workers;
  }

  private int tick(long step, double second) {
    if (scenario.holds(Kind.NO_MANAGER, second)) {
      allowance = PlaceAllowance.NONE;
      lastTick = -1;
      return 0;
    }
    Duration since = lastTick < 0 ? Duration.ZERO : Steps.duration((step - lastTick) * stepSeconds);
    earlier.observe(second, counts.inserted);
    PacingSnapshot seen = read(step, since);
    if (policy.forecast() && starting.latencySteps() > 0) {
      double ahead = starting.latencySteps() * stepSeconds;
      seen = seen.expecting(earlier.change(second, second + ahead));
    }
    PacingDecision decision = policy.policy().decide(seen, policy.settings(), state);
    watch.decided(second, seen, decision, refilled);
    refilled = 0;
    allowance = PlaceAllowance.after(decision.gate(), decision.wanted(), decision.workers());
    state = decision.state();
    lastTick = step;
    lastStarted = counts.started;
    lastFinished = counts.finished;
    submit(step, second, decision.workers());
    return decision.workers();
  }

  private void submit(long step, double second, int workers) {
    counts.runs += workers;
    double latency =
        Steps.exact(scenario.workers().startLatency(), stepSeconds)
            * scenario.factor(Kind.SLOW_STARTS, second);
    starting.submit(step, step + Math.max(1, Math.round(latency)), workers);
    counts.mostOutstanding = Math.max(counts.mostOutstanding, outstanding());
  }

  private PacingSnapshot read(long step, Duration since) {
    // A new process counts from its first tick.
    boolean first = since.isZero();
    return PacingSnapshot.of(
        since,
        new QueueFigures(
            queue.waiting(),
            active.held(),
            counts.inserted,
            counts.acknowledged,
            Steps.duration(queue.oldest(step) * stepSeconds),
            node.state()),
        new WorkerFigures(
            starting.waiting(),
            active.running(),
            (long) starting.waiting() * scenario.workers().batch(),
            active.openCapacity(),
            first ? 0 : (int) (counts.started - lastStarted),
            first ? 0 : (int) (counts.finished - lastFinished),
            known(starting.latencySteps()),
            known(active.runSteps()),
            outstanding() + competing.ofQueue()));
  }

  private Optional<Duration> known(double steps) {
    return steps < 0 ? Optional.empty() : Optional.of(Steps.duration(steps * stepSeconds));
  }

  /** The results so far. */
  public PacingResult result() {
    int batch = scenario.workers().batch();
    double waited = counts.eventSteps * stepSeconds;
    // Events arrive in the middle of their step on average, and are leased at its end or later.
    double meanWait =
        counts.inserted == 0 ? 0 : Math.max(0, waited / counts.inserted - stepSeconds / 2);
    return new PacingResult(
        policy.name(),
        policy.knob(),
        policy.value(),
        counts.inserted,
        counts.runs,
        (counts.inserted + batch - 1) / batch,
        counts.emptyRuns,
        counts.failedRuns,
        Math.round(waited),
        meanWait,
        counts.oldestSteps * stepSeconds,
        counts.mostWaiting,
        counts.mostOutstanding,
        queue.waiting());
  }

  /** Observes a simulation. Called by the thread of the simulation. */
  @FunctionalInterface
  public interface PacingWatch {
    /** Observes nothing. */
    PacingWatch NONE = (second, seen, decision, refilled) -> {};

    /**
     * Called after a tick of the queue manager.
     *
     * @param second from the start
     * @param refilled workers started since the previous tick in places that became free
     */
    void decided(double second, PacingSnapshot seen, PacingDecision decision, int refilled);
  }

  /** Workers submitted and not started, first come, first served. Used by one thread. */
  private static final class Starting {
    private static final double SMOOTHING = 0.3;

    private final ArrayDeque<long[]> groups = new ArrayDeque<>();
    private int waiting;
    private double latencySteps = -1;

    int waiting() {
      return waiting;
    }

    /** Smoothed steps until a start, without waits for slots; negative until the first start. */
    double latencySteps() {
      return latencySteps;
    }

    void submit(long step, long readyStep, int workers) {
      if (workers > 0) {
        groups.add(new long[] {step, readyStep, workers});
        waiting += workers;
      }
    }

    /** Starts workers that are ready, as far as slots are free. */
    int start(long step, int free) {
      int started = 0;
      while (started < free && !groups.isEmpty() && groups.peekFirst()[1] <= step) {
        long[] first = groups.peekFirst();
        int part = (int) Math.min(free - started, first[2]);
        first[2] -= part;
        started += part;
        measure(first[1] - first[0]);
        if (first[2] == 0) {
          groups.removeFirst();
        }
      }
      waiting -= started;
      return started;
    }

    private void measure(long steps) {
      latencySteps = latencySteps < 0 ? steps : latencySteps + SMOOTHING * (steps - latencySteps);
    }
  }

  /** Workers that compete with those of a simulated queue manager. Used by one thread. */
  public interface CompetingWorkers {
    /** None. */
    CompetingWorkers NONE =
        new CompetingWorkers() {
          @Override
          public int onSlots() {
            return 0;
          }

          @Override
          public int ofQueue() {
            return 0;
          }
        };

    /** Number of competing workers on the same slots. */
    int onSlots();

    /** Workers of other segments of the queue, submitted or running: caps apply to all of them. */
    int ofQueue();
  }
}

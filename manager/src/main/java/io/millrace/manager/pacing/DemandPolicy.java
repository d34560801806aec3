package io.millrace.manager.pacing;

import static io.millrace.manager.pacing.Reason.Wording.count;
import static io.millrace.manager.pacing.Reason.Wording.number;
import static io.millrace.manager.pacing.Reason.Wording.rate;
import static io.millrace.manager.pacing.Reason.Wording.seconds;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.PacingSettings.DemandSettings;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.Reason.Seconds;
import io.millrace.manager.pacing.StartCostModel.Outlook;

/**
 * The default rule: starts as many full workers as there are events that no outstanding worker will
 * take, and one that is not full when the waiting it saves is worth a run ({@link StartCostModel}),
 * or when the oldest event would miss the wait target otherwise.
 *
 * <p>Events, not workers, are counted: what waits, plus what will arrive before a worker submitted
 * now takes its first event, minus the open capacity of workers on their way (dead-time
 * compensation). Arrivals are fed forward, so that a steady stream finds its workers there although
 * nothing waits at the tick. Lingering workers are held in such numbers that an event finds one
 * free ({@link Staffing}). No command is accumulated: what a gate held back is computed anew at the
 * next tick, so nothing winds up.
 */
@Pure
public final class DemandPolicy implements PacingPolicy {
  static final String NAME = "demand";

  /** Keeps the number an int; the gates allow far fewer. */
  private static final int MOST = 1 << 24;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public PacingDecision decide(
      PacingSnapshot snapshot, PacingSettings settings, PacingState state) {
    if (snapshot.queue().isEmpty() || snapshot.workers().isEmpty()) {
      return PacingDecision.withoutFigures(snapshot, state);
    }
    QueueFigures queue = snapshot.queue().get();
    WorkerFigures workers = snapshot.workers().get();
    double elapsed = Seconds.of(snapshot.sinceLastTick());
    PacingState observed = state.observe(elapsed, queue, workers, settings);
    double latency = startLatency(workers, settings);
    // Before any worker has started, only what waits is known to be there for it.
    double ahead = workers.startLatency().isPresent() ? latency : 0;
    Outlook outlook = Outlook.of(ahead, queue, workers, settings, observed.arrivals());
    Need need = need(latency, outlook, queue, workers, settings);
    return PacingDecision.limited(
        need.workers, need.words, queue, workers, settings.limits(), observed);
  }

  private record Need(int workers, Reason words) {}

  private static Need need(
      double latency,
      Outlook outlook,
      QueueFigures queue,
      WorkerFigures workers,
      PacingSettings settings) {
    int batch = settings.eventsPerWorker();
    int worth = (int) Math.min(StartCostModel.workers(outlook, queue, settings), MOST);
    int staff = Staffing.missing(outlook, latency, queue, workers, settings);
    Reason sum = Reason.of(() -> sum(outlook, queue));
    if (staff > worth) {
      return new Need(
          staff, Reason.of(() -> sum + " → " + count(staff) + " so that enough linger"));
    }
    if (worth > 0) {
      int full = (int) Math.min(Math.max(0, outlook.uncovered()) / batch, worth);
      return new Need(worth, Reason.of(() -> sum + " → " + started(full, worth)));
    }
    return late(latency, queue, workers, settings, sum);
  }

  private static String sum(Outlook outlook, QueueFigures queue) {
    return queue.waiting()
        + " waiting + "
        + rate(outlook.arrivals())
        + " measured arrivals for "
        + seconds(outlook.horizon())
        + " − "
        + number(outlook.covered())
        + " already covered = "
        + number(outlook.uncovered());
  }

  private static String started(int full, int workers) {
    String fullOnes = full + " full " + (full == 1 ? "worker" : "workers");
    int others = workers - full;
    if (others == 0) {
      return fullOnes;
    }
    String worth = others + " not full but worth the run";
    return full == 0 ? count(workers) + ", not full but worth the run" : fullOnes + " and " + worth;
  }

  private static Need late(
      double latency,
      QueueFigures queue,
      WorkerFigures workers,
      PacingSettings settings,
      Reason sum) {
    if (queue.waiting() == 0) {
      return new Need(0, Reason.of(() -> "nothing waits, and no worker would be worth its run"));
    }
    if (workers.notStarted() > 0) {
      return new Need(
          0, Reason.of(() -> sum + ", " + count(workers.notStarted()) + " about to start"));
    }
    if (queue.waiting() <= takenSoon(workers, settings)) {
      return new Need(0, Reason.of(() -> sum + ", taken by running workers"));
    }
    double age = Seconds.of(queue.oldestAge());
    double ageIfLater = age + Seconds.of(settings.tick()) + latency;
    double target = Seconds.of(settings.demand().waitTarget());
    if (ageIfLater > target) {
      return new Need(
          1,
          Reason.of(
              () ->
                  sum
                      + ", but the oldest of "
                      + seconds(age)
                      + " would miss the wait target "
                      + seconds(target)
                      + " → 1 worker"));
    }
    return new Need(
        0,
        Reason.of(
            () ->
                sum
                    + ", no full worker, and the oldest of "
                    + seconds(age)
                    + " keeps the wait target "
                    + seconds(target)));
  }

  /** Workers that never ended a run are taken to be fast. */
  private static double takenSoon(WorkerFigures workers, PacingSettings settings) {
    double run = workers.runTime().map(Seconds::of).orElse(0.0);
    double inOneTick =
        run > 0
            ? Seconds.of(settings.tick()) / run * settings.eventsPerWorker() * workers.running()
            : Double.MAX_VALUE;
    return Math.min((double) workers.runningCapacity(), inOneTick);
  }

  /** Unknown means that no worker has ever started; one tick is then as good a guess as any. */
  private static double startLatency(WorkerFigures workers, PacingSettings settings) {
    return Seconds.of(workers.startLatency().orElse(settings.tick()));
  }

  /**
   * How many lingering workers are missing (square-root staffing): as many as are busy on average,
   * a reserve of so many square roots of it, and those that drain what waits within the patience;
   * never more than arrivals will fill before they have waited in vain.
   */
  @Pure
  private static final class Staffing {
    private Staffing() {}

    static int missing(
        Outlook outlook,
        double latency,
        QueueFigures queue,
        WorkerFigures workers,
        PacingSettings settings) {
      DemandSettings demand = settings.demand();
      if (!demand.lingers() || workers.runTime().isEmpty()) {
        return 0;
      }
      int batch = settings.eventsPerWorker();
      double perEvent = Seconds.of(workers.runTime().get()) / batch;
      double busy = outlook.arrivals() * perEvent;
      double draining = queue.waiting() * perEvent / Seconds.of(demand.patience());
      double eagerness = StartCostModel.eagerness(outlook.leastLoad(), settings);
      double wanted = busy + eagerness * demand.reserve() * Math.sqrt(busy) + draining;

      double start = Math.min(latency, Seconds.of(demand.horizon()));
      double untilNext = start + Seconds.of(settings.tick());
      // Each batch of events that is taken ends one run.
      double alive = Math.max(0, workers.outstanding() - outlook.arrivals() * untilNext / batch);

      double patient = Seconds.of(settings.tick()) + Seconds.of(demand.linger());
      double toCome = outlook.arrivals() * (start + eagerness * patient);
      double filled = (queue.waiting() + toCome - outlook.covered()) / batch;
      return (int) Math.max(0, Math.min(Math.rint(wanted - alive), Math.ceil(filled)));
    }
  }
}

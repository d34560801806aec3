package io.millrace.manager.pacing;

import static io.millrace.manager.pacing.Reason.ReasonFigures.count;
import static io.millrace.manager.pacing.Reason.ReasonFigures.number;
import static io.millrace.manager.pacing.Reason.ReasonFigures.rate;
import static io.millrace.manager.pacing.Reason.ReasonFigures.seconds;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.PacingSettings.DemandSettings;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.Reason.ReasonKind;
import io.millrace.manager.pacing.Reason.Seconds;
import io.millrace.manager.pacing.StartCostModel.Outlook;
import java.util.function.Supplier;

/**
 * The default rule: starts as many full workers as there are events that no outstanding worker will
 * take, and a partly filled one when the waiting that it saves is worth a run ({@link
 * StartCostModel}), or when the oldest event would miss the wait target otherwise.
 *
 * <p>It counts events, not workers: those waiting, plus those that will arrive before a worker
 * submitted now takes its first event, minus the open capacity of outstanding workers (dead-time
 * compensation). Arrivals are fed forward, so that a steady stream finds its workers ready although
 * nothing is waiting at the tick. Lingering workers are kept in such numbers that an event finds
 * one free ({@link Staffing}). Nothing is accumulated: what a gate held back is recomputed at the
 * next tick, so there is no wind-up.
 */
@Pure
public final class DemandPolicy implements PacingPolicy {
  static final String NAME = "demand";

  /** Keeps the number an int; the caps allow far fewer. */
  private static final int MAX = 1 << 24;

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
    // Before any worker has started, only waiting events are known to be there for it.
    double ahead = workers.startLatency().isPresent() ? latency : 0;
    // A worker that starts within the wait target can wait for the change itself.
    boolean early = ahead > Seconds.of(settings.demand().waitTarget());
    ArrivalEstimate planned = observed.arrivals().changed(early ? snapshot.expectedChange() : 0);
    Outlook outlook = Outlook.of(ahead, queue, workers, settings, planned);
    Need need = need(latency, outlook, queue, workers, settings);
    return PacingDecision.limited(
        need.workers, need.reason, queue, workers, settings.limits(), observed);
  }

  private record Need(int workers, Reason reason) {}

  private static Need need(
      double latency,
      Outlook outlook,
      QueueFigures queue,
      WorkerFigures workers,
      PacingSettings settings) {
    int batch = settings.eventsPerWorker();
    int worth = (int) Math.min(StartCostModel.workers(outlook, queue, settings), MAX);
    int staff = Staffing.missing(outlook, latency, queue, workers, settings);
    Supplier<String> sum = () -> sum(outlook, queue);
    if (staff > worth) {
      return new Need(
          staff,
          Reason.of(
              ReasonKind.LINGERING,
              () -> sum.get() + " → " + count(staff) + " so that enough are lingering"));
    }
    if (worth > 0) {
      int full = (int) Math.min(Math.max(0, outlook.uncovered()) / batch, worth);
      return new Need(
          worth,
          Reason.of(ReasonKind.WORTH_STARTING, () -> sum.get() + " → " + started(full, worth)));
    }
    return late(latency, queue, workers, settings, sum);
  }

  private static String sum(Outlook outlook, QueueFigures queue) {
    return "%d waiting + %s measured arrivals for %s − %s already covered = %s"
        .formatted(
            queue.waiting(),
            rate(outlook.arrivals()),
            seconds(outlook.horizon()),
            number(outlook.covered()),
            number(outlook.uncovered()));
  }

  private static String started(int full, int workers) {
    int others = workers - full;
    if (full == 0) {
      return count(workers) + ", not full but worth starting";
    }
    String fullOnes = full + (full == 1 ? " full worker" : " full workers");
    return others == 0 ? fullOnes : fullOnes + " and " + others + " not full but worth starting";
  }

  private static Need late(
      double latency,
      QueueFigures queue,
      WorkerFigures workers,
      PacingSettings settings,
      Supplier<String> sum) {
    if (queue.waiting() == 0) {
      return new Need(
          0,
          Reason.of(
              ReasonKind.NOTHING_WAITING,
              () -> "nothing is waiting, and no worker is worth starting"));
    }
    if (workers.notStarted() > 0) {
      return new Need(
          0,
          Reason.of(
              ReasonKind.ABOUT_TO_START,
              () -> sum.get() + ", " + count(workers.notStarted()) + " about to start"));
    }
    if (queue.waiting() <= takenSoon(workers, settings)) {
      return new Need(
          0,
          Reason.of(ReasonKind.TAKEN_SOON, () -> sum.get() + ", which running workers will take"));
    }
    double age = Seconds.of(queue.oldestAge());
    double ageIfLater = age + Seconds.of(settings.tick()) + latency;
    double target = Seconds.of(settings.demand().waitTarget());
    if (ageIfLater > target) {
      return new Need(
          1,
          Reason.of(
              ReasonKind.TARGET_MISSED,
              () ->
                  "%s, but the oldest (%s) would miss the wait target of %s → 1 worker"
                      .formatted(sum.get(), seconds(age), seconds(target))));
    }
    return new Need(
        0,
        Reason.of(
            ReasonKind.TARGET_KEPT,
            () ->
                "%s, no full worker, and the oldest (%s) is within the wait target of %s"
                    .formatted(sum.get(), seconds(age), seconds(target))));
  }

  /** Workers without a measured run time are assumed to be fast. */
  private static double takenSoon(WorkerFigures workers, PacingSettings settings) {
    double run = workers.runTime().map(Seconds::of).orElse(0.0);
    double inOneTick =
        run > 0
            ? Seconds.of(settings.tick()) / run * settings.eventsPerWorker() * workers.running()
            : Double.MAX_VALUE;
    return Math.min((double) workers.runningCapacity(), inOneTick);
  }

  /** If no worker has ever started, one tick is as good a guess as any. */
  private static double startLatency(WorkerFigures workers, PacingSettings settings) {
    return Seconds.of(workers.startLatency().orElse(settings.tick()));
  }

  /**
   * How many lingering workers are missing (square-root staffing): as many as are busy on average,
   * a reserve in square roots of that number, and those that drain the waiting events within the
   * patience; never more than arrivals will fill before they would leave idle.
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

package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.Reason.Seconds;

/**
 * What a worker submitted now would find when it takes its first event. Pure arithmetic of one
 * tick.
 *
 * @param latency seconds until then
 * @param horizon seconds of arrivals that are planned for
 * @param arrivals mean rate
 * @param measured whether it was ever measured
 * @param worth waiting that one run is worth, in events times seconds
 * @param leastLoad events that a worker must be expected to take to be worth its run
 * @param uncovered events expected by then that no outstanding worker will take; negative when
 *     there is room to spare
 * @param covered events that outstanding workers will take
 * @param lingering further events that a lingering worker takes, on average, before it has waited
 *     in vain; at most a batch
 */
@Pure
record Outlook(
    double latency,
    double horizon,
    double arrivals,
    boolean measured,
    double worth,
    double leastLoad,
    double uncovered,
    double covered,
    double lingering) {

  static Outlook of(
      double latency,
      QueueFigures queue,
      WorkerFigures workers,
      PacingSettings settings,
      ArrivalEstimate rate) {
    DemandSettings demand = settings.demand();
    double worth = StartCostModel.ofRun(queue, settings);
    double least = StartCostModel.leastLoad(worth, rate, settings);
    double horizon =
        Math.min(
            latency + whileRunning(latency, workers, settings, least),
            Seconds.of(demand.horizon()));
    double lingering = lingering(rate.rate(), settings);
    double running = workers.runningCapacity();
    if (demand.lingers()) {
      // One that finds nothing leaves, so that its capacity is there for what comes soon only.
      running = Math.min(running, queue.waiting() + lingering);
    }
    double covered = workers.notStartedCapacity() + running;
    double open = queue.waiting() - covered;
    return new Outlook(
        latency,
        horizon,
        rate.rate(),
        rate.known(),
        worth,
        least,
        open + rate.rate() * horizon,
        covered,
        Math.min(settings.eventsPerWorker(), lingering));
  }

  /** Mean number of arrivals before the first pause longer than a worker lingers. */
  private static double lingering(double rate, PacingSettings settings) {
    return settings.demand().lingers()
        ? Math.expm1(Math.min(50, rate * Seconds.of(settings.demand().linger())))
        : 0;
  }

  private static double whileRunning(
      double latency, WorkerFigures workers, PacingSettings settings, double least) {
    DemandSettings demand = settings.demand();
    if (demand.lingers()) {
      return StartCostModel.eagerness(least, settings)
          * Math.min(Seconds.of(settings.tick()), Seconds.of(demand.linger()));
    }
    if (demand.intake() == DemandSettings.Intake.AT_START || workers.runTime().isEmpty()) {
      return 0;
    }
    double run = Seconds.of(workers.runTime().get());
    // The longer the dead time beside the run, the less of the run is worth planning ahead.
    double share = run > 0 ? run / (run + latency) : 0;
    return demand.lookAhead() * share * run;
  }
}

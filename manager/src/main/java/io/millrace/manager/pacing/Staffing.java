package io.millrace.manager.pacing;

import io.millrace.api.Pure;

/**
 * How many lingering workers are missing (square-root staffing): as many as are busy on average, a
 * reserve of so many square roots of it, and those that drain what waits within the patience; never
 * more than arrivals will fill before they have waited in vain.
 */
@Pure
final class Staffing {
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

package io.millrace.manager.pacing;

/**
 * How many workers are worth their run.
 *
 * <p>A run costs the same however full it is, and waiting costs by events and seconds. For arrivals
 * at rate λ the cheapest batch is √(2λ·K/h), where K/h is the waiting that one run is worth (the
 * square-root law of economic batches; for a batch server, Deb and Serfozo's control limit). Here
 * K/h is half a batch times the patience P, so for a batch that fills in F seconds workers start
 * every √(F·P) seconds, and only full ones when it fills within P.
 *
 * <p>Decisions fall at ticks. Of two batches x and x + λ·tick that enclose the cheapest, the
 * smaller is the better one when their product exceeds its square: that gives the least load of a
 * worker that is worth starting. How many events a further worker would find is uncertain. Whatever
 * the distribution, by Scarf's bounds it is at most (√(σ² + d²) − d) / 2 on average, d being the
 * room that workers before it have beyond the mean; and the chance that it is needed at all falls
 * below r when d exceeds σ/2 · √((1 − r) / r).
 */
final class RunWorth {
  /** A load below it is as good as none. */
  private static final double LEAST = 1e-6;

  private RunWorth() {}

  /** Events that a worker must be expected to take to be worth its run; at most a batch. */
  static double leastLoad(ArrivalEstimate arrivals, PacingSettings settings) {
    if (!arrivals.known()) {
      return settings.eventsPerWorker();
    }
    double rate = arrivals.rate();
    double perTick = rate * Seconds.of(settings.tick());
    double cheapest = rate * settings.eventsPerWorker() * Seconds.of(settings.demand().patience());
    double load = (Math.sqrt(perTick * perTick + 4 * cheapest) - perTick) / 2;
    return Math.max(LEAST, Math.min(load, settings.eventsPerWorker()));
  }

  /**
   * How far ahead of need a lingering worker may start: 0 when only full ones are worth their run,
   * because one that waits in vain is lost, and 1 when any is.
   */
  static double eagerness(double leastLoad, PacingSettings settings) {
    return 1 - leastLoad / settings.eventsPerWorker();
  }

  /** Workers to start, as a whole number; without regard to any deadline. */
  static double workers(Outlook outlook, QueueFigures queue, PacingSettings settings) {
    int batch = settings.eventsPerWorker();
    double least = outlook.leastLoad();
    double mean = outlook.uncovered();
    if (mean <= 0 && outlook.arrivals() == 0) {
      return 0;
    }
    double room = reserve(outlook, batch) - least;
    double workers = Math.max(0, Math.floor((mean + room) / batch) + 1);
    if (outlook.covered() <= queue.waiting() && workers == 1) {
      // The first worker finds all there is, so that the mean is exact and no bound.
      workers = mean >= least ? 1 : 0;
    }
    double rest = mean - workers * batch;
    boolean lingersForMore = rest > 0 && rest + outlook.lingering() >= least;
    return lingersForMore && outlook.lingering() > 0 ? workers + 1 : workers;
  }

  /** Events beyond the mean for which workers are started: the smaller of Scarf's two bounds. */
  private static double reserve(Outlook outlook, int batch) {
    double least = outlook.leastLoad();
    // Independent arrivals vary as much as there are of them.
    double variance = outlook.arrivals() * outlook.horizon();
    double byLoad = variance / (4 * least);
    double byChance = Math.sqrt(variance * (batch - least) / least) / 2;
    return Math.min(byLoad, byChance);
  }
}

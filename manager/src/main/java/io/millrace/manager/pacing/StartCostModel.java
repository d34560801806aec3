package io.millrace.manager.pacing;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.PacingSettings.DemandSettings;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.Reason.Seconds;

/**
 * How many workers are worth their run.
 *
 * <p>A run costs the same however full it is, and waiting costs by events and seconds. The waiting
 * that one run is worth is half a batch times the patience P. For arrivals at rate λ the cheapest
 * batch is then √(λ·batch·P) (the square-root law of economic batches; for a batch server, Deb and
 * Serfozo's control limit), so for a batch that fills in F seconds workers start every √(F·P)
 * seconds, and only full ones when it fills within P.
 *
 * <p>Decisions fall at ticks. Of two batches x and x + δ that enclose the cheapest, the smaller is
 * the better one when their product exceeds its square: that gives the least load of a worker that
 * is worth starting. δ is the number of events that come in a tick in which any come. How many
 * events a further worker would find is uncertain. Whatever the distribution, by Scarf's bounds it
 * is at most (√(σ² + d²) − d) / 2 on average, d being the capacity that earlier workers have beyond
 * the mean; and the probability that it is needed falls below r when d exceeds σ/2 · √((1 − r) /
 * r).
 *
 * <p>For the first worker all this is known exactly, see {@link #saved}.
 */
@Pure
final class StartCostModel {
  /** A lower load counts as none. */
  private static final double MIN = 1e-6;

  private StartCostModel() {}

  /** The waiting that one run is worth, in events times seconds. */
  static double ofRun(QueueFigures queue, PacingSettings settings) {
    double patience = Seconds.of(settings.demand().patience());
    return Dither.factor(queue.inserted()) * settings.eventsPerWorker() * patience / 2;
  }

  /** Events that a worker must be expected to take to be worth its run; at most a batch. */
  static double leastLoad(double worth, ArrivalEstimate arrivals, PacingSettings settings) {
    if (!arrivals.known()) {
      return settings.eventsPerWorker();
    }
    double step = step(arrivals.rate(), settings);
    double load = (Math.sqrt(step * step + 8 * arrivals.rate() * worth) - step) / 2;
    return Math.max(MIN, Math.min(load, settings.eventsPerWorker()));
  }

  /** Independent events that come in a tick in which at least one comes, on average. */
  private static double step(double rate, PacingSettings settings) {
    double perTick = rate * Seconds.of(settings.tick());
    return perTick < MIN ? 1 : perTick / -Math.expm1(-perTick);
  }

  /**
   * How far ahead of need a lingering worker may start: 0 when only full ones are worth their run,
   * because one that ends idle is lost, and 1 when any is.
   */
  static double eagerness(double leastLoad, PacingSettings settings) {
    return 1 - leastLoad / settings.eventsPerWorker();
  }

  /** Workers to start, as an integer; without regard to any deadline. */
  static double workers(Outlook outlook, QueueFigures queue, PacingSettings settings) {
    int batch = settings.eventsPerWorker();
    double min = outlook.leastLoad();
    double mean = outlook.uncovered();
    if (mean <= 0 && outlook.arrivals() == 0) {
      return 0;
    }
    double room = reserve(outlook, batch) - min;
    double workers = Math.max(0, Math.floor((mean + room) / batch) + 1);
    if (workers <= 1 && outlook.covered() <= queue.waiting()) {
      return first(outlook, queue, settings) ? 1 : 0;
    }
    double rest = mean - workers * batch;
    boolean lingersForMore = rest > 0 && rest + outlook.lingering() >= min;
    return lingersForMore && outlook.lingering() > 0 ? workers + 1 : workers;
  }

  /** Whether one worker is worth its run that finds all there is. */
  private static boolean first(Outlook outlook, QueueFigures queue, PacingSettings settings) {
    double waiting = queue.waiting() - outlook.covered();
    return outlook.measured()
        ? saved(waiting, outlook, settings) >= outlook.worth()
        : waiting >= outlook.leastLoad();
  }

  /**
   * Events times seconds of waiting that a worker saves, when it starts for these events now and
   * not for one more at a later tick.
   *
   * <p>A policy that starts at w waiting events pays (K + W(w)) / n(w) for each event, W being
   * their waiting until the worker takes them and n the events that it takes in all. That is at
   * most what starting at w + 1 costs when K ≤ W' · n / n' − W, with W' and n' for the differences.
   * Arrivals at rate λ, ticks T apart and a start latency L make W' = w/λ + T/2 + L. Without
   * lingering n = w + λL and n' = 1; each further event that a lingering worker finds has the
   * chance q = 1 − exp(−λ · linger), which adds n' · q / (1 − q) to n and leaves n' = 1 − q^(batch
   * − w): where a worker gets its batch anyway, no event needs to be held for it.
   */
  private static double saved(double waiting, Outlook outlook, PacingSettings settings) {
    double rate = outlook.arrivals();
    double latency = outlook.latency();
    double perEvent = Seconds.of(settings.tick()) / 2 + latency;
    double held = 0;
    double oneMore = perEvent;
    if (waiting > 0) {
      held = waiting * ((waiting - step(rate, settings)) / (2 * rate) + perEvent);
      oneMore += waiting / rate;
    }
    double gained = 1;
    double found = 0;
    if (settings.demand().lingers()) {
      double patient = rate * Seconds.of(settings.demand().linger());
      double room = Math.max(0, settings.eventsPerWorker() - waiting);
      gained = 1 - Math.pow(-Math.expm1(-patient), room);
      found = Math.expm1(patient);
    }
    double along = rate * latency;
    return oneMore * ((waiting + along) / gained + found) - held - along * latency / 2;
  }

  /** Events beyond the mean for which workers are started: the smaller of Scarf's two bounds. */
  private static double reserve(Outlook outlook, int batch) {
    double min = outlook.leastLoad();
    // Independent arrivals vary as much as there are of them.
    double variance = outlook.arrivals() * outlook.horizon();
    double byLoad = variance / (4 * min);
    double byChance = Math.sqrt(variance * (batch - min) / min) / 2;
    return Math.min(byLoad, byChance);
  }

  /**
   * Varies what a run is worth by up to a tenth, from event to event and evenly.
   *
   * <p>Waiting events are integers, and a measured rate takes the same values again and again, so
   * that a setting would have no effect over a wide range and a large one at its end. Varied, each
   * setting between two others gives figures between theirs. Multiples of the golden ratio fill the
   * range evenly, and equal counters give equal decisions, so that a recorded one can be repeated.
   */
  @Pure
  private static final class Dither {
    private static final double GOLDEN = (Math.sqrt(5) - 1) / 2;
    private static final double RANGE = 0.2;

    private Dither() {}

    /** Between 0.9 and 1.1. */
    static double factor(long inserted) {
      double share = inserted * GOLDEN;
      return 1 + RANGE * (0.5 - (share - Math.floor(share)));
    }
  }

  /**
   * What a worker submitted now would find when it takes its first event. Pure arithmetic for one
   * tick.
   *
   * @param latency seconds until then
   * @param horizon seconds of arrivals that are planned for
   * @param arrivals mean rate
   * @param measured whether the rate was ever measured
   * @param worth waiting that one run is worth, in events times seconds
   * @param leastLoad events that a worker must be expected to take to be worth its run
   * @param uncovered events expected by then that no outstanding worker will take; negative when
   *     there is spare capacity
   * @param covered events that outstanding workers will take
   * @param lingering further events that a lingering worker takes, on average, before it ends idle;
   *     at most a batch
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
      double min = StartCostModel.leastLoad(worth, rate, settings);
      double horizon =
          Math.min(
              latency + whileRunning(latency, workers, settings, min),
              Seconds.of(demand.horizon()));
      double lingering = lingering(rate.rate(), settings);
      double running = workers.runningCapacity();
      if (demand.lingers()) {
        // A worker that finds nothing ends, so that its capacity is only there for events that come
        // soon.
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
          min,
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
        double latency, WorkerFigures workers, PacingSettings settings, double min) {
      DemandSettings demand = settings.demand();
      if (demand.lingers()) {
        return StartCostModel.eagerness(min, settings)
            * Math.min(Seconds.of(settings.tick()), Seconds.of(demand.linger()));
      }
      if (demand.pull() == DemandSettings.EventPull.AT_START || workers.runTime().isEmpty()) {
        return 0;
      }
      double run = Seconds.of(workers.runTime().get());
      // The longer the dead time compared with the run, the less of the run is worth planning
      // ahead.
      double share = run > 0 ? run / (run + latency) : 0;
      return demand.lookAhead() * share * run;
    }
  }
}

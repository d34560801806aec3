package io.millrace.manager.pacing;

import static io.millrace.manager.pacing.Wording.count;
import static io.millrace.manager.pacing.Wording.number;
import static io.millrace.manager.pacing.Wording.rate;
import static io.millrace.manager.pacing.Wording.seconds;

import io.millrace.manager.pacing.DemandSettings.Intake;

/**
 * The default rule: starts as many full workers as there are events that no outstanding worker will
 * take, and one that is not full when the oldest event would miss the wait target otherwise.
 *
 * <p>Events, not workers, are counted: what waits, plus what will arrive before a worker submitted
 * now takes its first event, minus the open capacity of workers on their way (dead-time
 * compensation). It runs full workers only because the cost of a run does not depend on how full it
 * is (Deb and Serfozo's control limit). No command is accumulated: what a gate held back is
 * computed anew at the next tick, so nothing winds up.
 */
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
      return Gates.withoutFigures(snapshot, state);
    }
    QueueFigures queue = snapshot.queue().get();
    WorkerFigures workers = snapshot.workers().get();
    double elapsed = Seconds.of(snapshot.sinceLastTick());
    PacingState observed = state.observe(elapsed, queue, workers, settings);
    Need need = need(queue, workers, settings, observed.arrivals());
    return Gates.decide(need.workers, need.words, queue, workers, settings.limits(), observed);
  }

  private record Need(int workers, String words) {}

  private static Need need(
      QueueFigures queue, WorkerFigures workers, PacingSettings settings, ArrivalEstimate rate) {
    if (queue.waiting() == 0) {
      return new Need(0, "nothing waits");
    }
    double latency = startLatency(workers, settings);
    double horizon = horizon(latency, workers, settings);
    double arrivals = rate.cautious(horizon);
    double uncovered = queue.waiting() + arrivals * horizon - workers.openCapacity();
    int full = (int) Math.min(Math.max(0, uncovered) / settings.eventsPerWorker(), MOST);
    String sum =
        queue.waiting()
            + " waiting + "
            + rate(arrivals)
            + " measured arrivals for "
            + seconds(horizon)
            + " − "
            + workers.openCapacity()
            + " already covered = "
            + number(uncovered);
    if (full > 0) {
      return new Need(full, sum + " → " + full + " full " + (full == 1 ? "worker" : "workers"));
    }
    return partial(queue, workers, settings, latency, sum);
  }

  private static Need partial(
      QueueFigures queue,
      WorkerFigures workers,
      PacingSettings settings,
      double latency,
      String sum) {
    if (workers.notStarted() > 0) {
      return new Need(0, sum + ", " + count(workers.notStarted()) + " about to start");
    }
    if (queue.waiting() <= takenSoon(workers, settings)) {
      return new Need(0, sum + ", taken by running workers");
    }
    double age = Seconds.of(queue.oldestAge());
    double ageIfLater = age + Seconds.of(settings.tick()) + latency;
    String target = " the wait target " + seconds(settings.demand().waitTarget());
    if (ageIfLater > Seconds.of(settings.demand().waitTarget())) {
      return new Need(
          1, sum + ", but the oldest of " + seconds(age) + " would miss" + target + " → 1 worker");
    }
    return new Need(
        0, sum + ", no full worker, and the oldest of " + seconds(age) + " keeps" + target);
  }

  private static double takenSoon(WorkerFigures workers, PacingSettings settings) {
    double inOneTick =
        workers
            .runTime()
            .map(Seconds::of)
            .filter(run -> run > 0)
            .map(run -> Seconds.of(settings.tick()) / run)
            .map(share -> share * settings.eventsPerWorker() * workers.running())
            .orElse(Double.MAX_VALUE);
    return Math.min((double) workers.runningCapacity(), inOneTick);
  }

  /** Unknown means that no worker has ever started; one tick is then as good a guess as any. */
  private static double startLatency(WorkerFigures workers, PacingSettings settings) {
    return Seconds.of(workers.startLatency().orElse(settings.tick()));
  }

  private static double horizon(double latency, WorkerFigures workers, PacingSettings settings) {
    double horizon = latency;
    if (settings.demand().intake() == Intake.WHILE_RUNNING && workers.runTime().isPresent()) {
      double run = Seconds.of(workers.runTime().get());
      // The longer the dead time beside the run, the less of the run is worth planning ahead.
      double share = run > 0 ? run / (run + latency) : 0;
      horizon += settings.demand().lookAhead() * share * run;
    }
    return Math.min(horizon, Seconds.of(settings.demand().horizon()));
  }
}

package io.millrace.manager.pacing;

import static io.millrace.manager.pacing.Wording.count;
import static io.millrace.manager.pacing.Wording.rate;

/**
 * The published rule (H-171 to H-177, H-181): a rate of workers per second that rises by a share
 * per successive reading above an upper limit, falls when the queue was often empty, and bursts of
 * workers for a backlog. Where the publication is silent, it follows the reading that reproduces
 * its tables best. It is kept for comparison: it neither looks at workers that are on their way nor
 * at how full a worker will be.
 */
public final class ThresholdPolicy implements PacingPolicy {
  static final String NAME = "threshold";

  /** Keeps the sum of steady and burst workers an int; the gates allow far fewer. */
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
    Step step = evaluate(observed.threshold(), queue.waiting(), settings);

    // A late tick earns no burst: what a stalled manager did not start is a matter for the backlog.
    double earned = Math.min(elapsed, 2 * Seconds.of(settings.tick())) * step.state.rate();
    double owed = step.state.owed() + earned;
    int steady = (int) Math.min(owed, MOST);
    ThresholdState next = step.state.owing(step.state.rate(), owed - Math.floor(owed));
    int wanted = steady + step.burst;
    String reason = step.words + " → " + count(wanted);
    return Gates.decide(
        wanted, reason, queue, workers, settings.limits(), observed.withThreshold(next));
  }

  private record Step(ThresholdState state, int burst, String words) {}

  private static Step evaluate(ThresholdState before, long waiting, PacingSettings settings) {
    ThresholdSettings limits = settings.threshold();
    ThresholdState state =
        before.rate() > 0 ? before : before.owing(limits.initialRate(), before.owed());
    String steady = waiting + " waiting, rate " + rate(state.rate());
    if (!state.evaluationDue(settings)) {
      return new Step(state, 0, steady);
    }
    int breaches = state.breaches(limits.upperLimit());
    long empties = state.empties(limits.lowerLimit());
    double newRate = state.rate();
    String words = steady + " kept";
    if (breaches > 0) {
      newRate = state.rate() * Math.pow(1 + limits.raise(), breaches);
      words = raised(waiting, state.rate(), newRate, breaches, limits);
    } else if (empties > limits.emptyReadings()) {
      newRate = Math.max(limits.minimumRate(), state.rate() * (1 - limits.lower()));
      words =
          empties
              + " readings found nothing waiting: rate "
              + rate(state.rate())
              + " lowered to "
              + rate(newRate);
    }
    int burst = backlog(waiting, settings);
    if (burst > 0) {
      words += " + " + burst + " for the backlog of " + waiting;
    }
    return new Step(state.evaluated(newRate), burst, words);
  }

  private static String raised(
      long waiting, double from, double to, int breaches, ThresholdSettings limits) {
    return waiting
        + " waiting, "
        + breaches
        + " successive readings above "
        + limits.upperLimit()
        + ": rate "
        + rate(from)
        + " raised to "
        + rate(to);
  }

  private static int backlog(long waiting, PacingSettings settings) {
    return waiting > settings.threshold().backlogThreshold()
        ? (int) Math.min(waiting / settings.eventsPerWorker(), MOST)
        : 0;
  }
}

package io.millrace.manager.pacing;

import static io.millrace.manager.pacing.Reason.ReasonFigures.count;
import static io.millrace.manager.pacing.Reason.ReasonFigures.rate;

import io.millrace.api.Pure;
import io.millrace.manager.pacing.PacingSettings.ThresholdSettings;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.Reason.ReasonKind;
import io.millrace.manager.pacing.Reason.Seconds;
import java.util.ArrayList;
import java.util.List;

/**
 * The published rule (H-171 to H-177, H-181): a rate of workers per second that rises by a share
 * per successive reading above an upper limit, falls when the queue was often empty, and bursts of
 * workers for a backlog. Where the publication is silent, it follows the reading that reproduces
 * its tables best. It is kept for comparison: it considers neither outstanding workers nor how full
 * a worker will be.
 */
@Pure
public final class ThresholdPolicy implements PacingPolicy {
  static final String NAME = "threshold";

  /** Keeps the sum of steady and burst workers an int; the caps allow far fewer. */
  private static final int MAX = 1 << 24;

  /** Rounding error of sums of fractions of a worker. */
  private static final double ROUNDING = 1e-9;

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
    Step step = evaluate(observed.threshold(), queue.waiting(), settings);

    // A late tick earns no burst: what a stalled manager did not start is a matter for the backlog.
    // A queue that was never paced gets the workers of one tick.
    double tick = Seconds.of(settings.tick());
    double paid = observed.threshold().rate() == 0 ? tick : Math.min(elapsed, 2 * tick);
    double earned = paid * step.state.rate();
    double owed = step.state.owed() + earned;
    int steady = (int) Math.max(0, Math.min(Math.ceil(owed - ROUNDING), MAX));
    ThresholdState next = step.state.owing(step.state.rate(), Math.min(0, owed - steady));
    int starts = steady + step.burst;
    Reason reason = Reason.of(step.reason.kind(), () -> step.reason.text() + " → " + count(starts));
    return PacingDecision.limited(
        starts, reason, queue, workers, settings.limits(), observed.withThreshold(next));
  }

  private record Step(ThresholdState state, int burst, Reason reason) {}

  private static Step evaluate(ThresholdState before, long waiting, PacingSettings settings) {
    ThresholdSettings limits = settings.threshold();
    ThresholdState state =
        before.rate() > 0 ? before : before.owing(limits.initialRate(), before.owed());
    double oldRate = state.rate();
    if (!state.evaluationDue(settings)) {
      return new Step(
          state,
          0,
          Reason.of(ReasonKind.RATE_BETWEEN, () -> waiting + " waiting, rate " + rate(oldRate)));
    }
    int breaches = state.breaches(limits.upperLimit());
    long empties = state.empties(limits.lowerLimit());
    double newRate = oldRate;
    ReasonKind kind = ReasonKind.RATE_KEPT;
    if (breaches > 0) {
      kind = ReasonKind.RATE_RAISED;
      newRate = oldRate * Math.pow(1 + limits.raise(), breaches);
    } else if (empties > limits.emptyReadings()) {
      kind = ReasonKind.RATE_LOWERED;
      newRate = Math.max(limits.minimumRate(), oldRate * (1 - limits.lower()));
    }
    int burst = backlog(waiting, settings);
    double chosen = newRate;
    Reason reason =
        Reason.of(kind, () -> reason(waiting, oldRate, chosen, breaches, empties, burst, limits));
    return new Step(state.evaluated(newRate), burst, reason);
  }

  private static String reason(
      long waiting,
      double from,
      double to,
      int breaches,
      long empties,
      int burst,
      ThresholdSettings limits) {
    String backlog = burst > 0 ? " + %d for the backlog of %d".formatted(burst, waiting) : "";
    if (breaches > 0) {
      return "%d waiting, %d successive readings above %d: rate %s raised to %s%s"
          .formatted(waiting, breaches, limits.upperLimit(), rate(from), rate(to), backlog);
    }
    if (empties > limits.emptyReadings()) {
      return "%d readings found nothing waiting: rate %s lowered to %s%s"
          .formatted(empties, rate(from), rate(to), backlog);
    }
    return "%d waiting, rate %s kept%s".formatted(waiting, rate(from), backlog);
  }

  private static int backlog(long waiting, PacingSettings settings) {
    return waiting > settings.threshold().backlogThreshold()
        ? (int) Math.min(waiting / settings.eventsPerWorker(), MAX)
        : 0;
  }

  /**
   * The state of the published rule.
   *
   * @param rate workers per second; 0 before the first tick
   * @param owed workers earned by the rate minus those submitted: from -1 to 0, because a worker is
   *     due as soon as the rate begins to earn it
   * @param readings queue lengths of the history, the newest last
   * @param sinceReading seconds since the newest
   * @param sinceEvaluation seconds since the rate was last evaluated
   */
  @Pure
  public record ThresholdState(
      double rate, double owed, List<Long> readings, double sinceReading, double sinceEvaluation) {
    /** Tolerance for ticks that come a little early or late. */
    private static final double JITTER = 1e-6;

    public ThresholdState {
      readings = List.copyOf(readings);
    }

    static ThresholdState fresh() {
      return new ThresholdState(0, 0, List.of(), 0, 0);
    }

    ThresholdState miss(double seconds) {
      return new ThresholdState(
          rate, owed, readings, sinceReading + seconds, sinceEvaluation + seconds);
    }

    /**
     * Takes a reading when one is due; discards all of them after a gap and in a new process. A
     * queue that was never paced is read and evaluated at once.
     */
    ThresholdState observe(long waiting, double seconds, PacingSettings settings) {
      ThresholdState later = miss(seconds);
      if (rate == 0) {
        double due = Seconds.of(settings.threshold().evaluateEvery());
        return new ThresholdState(rate, owed, List.of(waiting), 0, due);
      }
      if (seconds <= 0 || later.sinceReading > settings.longestGapSeconds()) {
        return new ThresholdState(rate, owed, List.of(), 0, 0);
      }
      if (later.sinceReading < Seconds.of(settings.threshold().readEvery()) - JITTER) {
        return later;
      }
      List<Long> kept = new ArrayList<>(readings);
      kept.add(waiting);
      int max = readingsInHistory(settings);
      while (kept.size() > max) {
        kept.remove(0);
      }
      return new ThresholdState(rate, owed, kept, 0, later.sinceEvaluation);
    }

    boolean evaluationDue(PacingSettings settings) {
      return sinceEvaluation >= Seconds.of(settings.threshold().evaluateEvery()) - JITTER;
    }

    /** Successive readings above the limit, counted back from the newest (H-172). */
    int breaches(long upperLimit) {
      int count = 0;
      while (count < readings.size() && readings.get(readings.size() - 1 - count) > upperLimit) {
        count++;
      }
      return count;
    }

    long empties(long lowerLimit) {
      return readings.stream().filter(reading -> reading <= lowerLimit).count();
    }

    ThresholdState evaluated(double newRate) {
      return new ThresholdState(newRate, owed, readings, sinceReading, 0);
    }

    ThresholdState owing(double newRate, double newOwed) {
      return new ThresholdState(newRate, newOwed, readings, sinceReading, sinceEvaluation);
    }

    private static int readingsInHistory(PacingSettings settings) {
      double every =
          Math.max(Seconds.of(settings.threshold().readEvery()), Seconds.of(settings.tick()));
      return (int) Math.max(1, Math.round(Seconds.of(settings.history()) / every));
    }
  }
}

package io.millrace.manager.sample;

import io.millrace.api.Pure;
import io.millrace.api.insight.FigureHistory.SampledFigure;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sums up samples in steps: means over the time that each sample stands for, and largest values.
 * Steps begin at multiples of their length since 1970, so that they do not depend on what is summed
 * up together. A step without samples has no result.
 */
@Pure
final class RollUp {
  /** The step that is kept for long. */
  static final Duration MINUTE = Duration.ofMinutes(1);

  /** What a sample stands for if nothing is known of the one before it. */
  static final double USUAL_SECONDS = 5;

  // Figures need no more, and are stored shorter.
  private static final MathContext DIGITS = new MathContext(7);

  private RollUp() {}

  /**
   * Measurements, each standing for the time since the one before it, at most a minute: what
   * happened in a longer gap is unknown. The first keeps the time that it has.
   *
   * @param samples in order of time
   */
  static List<TimedSample> spaced(List<TimedSample> samples) {
    List<TimedSample> spaced = new ArrayList<>();
    Instant before = null;
    for (TimedSample sample : samples) {
      if (before == null) {
        spaced.add(sample);
      } else {
        double gap = Duration.between(before, sample.at()).toNanos() / 1e9;
        spaced.add(sample.lasting(Math.min(gap, (double) MINUTE.toSeconds())));
      }
      before = sample.at();
    }
    return spaced;
  }

  /**
   * The steps of the samples from {@code from}, inclusive, to {@code to}, exclusive.
   *
   * @param samples in order of time; others than those of the span have no effect
   */
  static List<TimedSample> steps(
      List<TimedSample> samples, Duration step, Instant from, Instant to) {
    Steps steps = new Steps(step, from, to);
    samples.forEach(steps::add);
    return steps.result();
  }

  /**
   * The steps of a span whose samples come piece by piece, so that they need not be in memory
   * together. Not thread-safe.
   */
  static final class Steps {
    private final Duration step;
    private final Instant from;
    private final Instant to;
    private final Map<Instant, Tally> tallies = new TreeMap<>();

    /**
     * Without samples.
     *
     * @param from inclusive
     * @param to exclusive
     */
    Steps(Duration step, Instant from, Instant to) {
      this.step = step;
      this.from = from;
      this.to = to;
    }

    /** The next sample in order of time; one outside of the span has no effect. */
    void add(TimedSample sample) {
      if (!sample.at().isBefore(from) && sample.at().isBefore(to)) {
        tallies.computeIfAbsent(begin(sample.at(), step), at -> new Tally()).add(sample);
      }
    }

    /** The steps that have samples, in order of time. */
    List<TimedSample> result() {
      List<TimedSample> result = new ArrayList<>();
      tallies.forEach((at, tally) -> result.add(tally.sample(at)));
      return result;
    }
  }

  /** The beginning of the step in which a moment lies. */
  static Instant begin(Instant at, Duration step) {
    return Instant.ofEpochSecond(
        Math.floorDiv(at.getEpochSecond(), step.toSeconds()) * step.toSeconds());
  }

  /** What the samples of one step add up to so far. */
  private static final class Tally {
    private final Map<String, Weighted> figures = new HashMap<>();
    private double seconds;
    private Map<String, Integer> weights = Map.of();

    void add(TimedSample sample) {
      seconds += sample.seconds();
      weights = sample.weights();
      sample
          .figures()
          .forEach(
              (name, figure) ->
                  figures
                      .computeIfAbsent(name, any -> new Weighted())
                      .add(figure, sample.seconds()));
    }

    TimedSample sample(Instant at) {
      Map<String, SampledFigure> means = new HashMap<>();
      figures.forEach((name, weighted) -> means.put(name, weighted.figure()));
      return new TimedSample(at, seconds, means, weights);
    }
  }

  /** A figure may be missing in some of the samples, so each has its own time. */
  private static final class Weighted {
    private double sum;
    private double seconds;
    private double most = Double.NEGATIVE_INFINITY;

    void add(SampledFigure figure, double lasting) {
      sum += figure.mean() * lasting;
      seconds += lasting;
      most = Math.max(most, figure.most());
    }

    SampledFigure figure() {
      // Rounding must not raise a mean above the largest value.
      double largest = rounded(most);
      return new SampledFigure(Math.min(largest, rounded(sum / seconds)), largest);
    }

    private static double rounded(double value) {
      return new BigDecimal(value).round(DIGITS).doubleValue();
    }
  }
}

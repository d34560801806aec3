package io.millrace.manager.sample;

import io.millrace.api.Pure;
import io.millrace.api.insight.FigureHistory.FigureSample;
import io.millrace.api.insight.FigureHistory.SampledFigure;
import java.time.Instant;
import java.util.Map;

/**
 * Figures at a time, and how much time they stand for.
 *
 * @param at when they were measured, or the beginning of the step that they sum up
 * @param seconds the time that they stand for; more than 0
 * @param figures by name
 * @param weights of a queue, its points by queue node; empty for nodes
 */
@Pure
public record TimedSample(
    Instant at, double seconds, Map<String, SampledFigure> figures, Map<String, Integer> weights) {
  private static final double LEAST = 0.001;

  public TimedSample {
    seconds = Math.max(LEAST, seconds);
    figures = Map.copyOf(figures);
    weights = Map.copyOf(weights);
  }

  /** The same figures, standing for another time. */
  TimedSample lasting(double other) {
    return new TimedSample(at, other, figures, weights);
  }

  FigureSample shown() {
    return new FigureSample(at, figures, weights);
  }
}

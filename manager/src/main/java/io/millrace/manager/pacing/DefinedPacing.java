package io.millrace.manager.pacing;

import io.millrace.api.queue.PacingDefinition;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.WorkerDefinition.LingerDefinition;
import io.millrace.api.queue.WorkerInput;
import io.millrace.manager.pacing.PacingSettings.DemandSettings;
import io.millrace.manager.pacing.PacingSettings.DemandSettings.Intake;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSettings.ThresholdSettings;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * A queue's definition as the settings of its policy, and as the figures that are recorded with
 * each decision, from which a simulation makes the definition again. Pure.
 */
public final class DefinedPacing {
  /** The published rule reads every second tick and evaluates every twelfth (H-171). */
  private static final int TICKS_PER_READING = 2;

  private static final int TICKS_PER_EVALUATION = 12;
  private static final Duration HISTORY = Duration.ofSeconds(60);

  private DefinedPacing() {}

  /** The settings of a queue's managers. */
  public static PacingSettings settings(QueueDefinition queue) {
    PacingDefinition pacing = queue.pacing();
    Duration tick = queue.external() ? queue.source().every() : pacing.tick();
    Duration evaluation = tick.multipliedBy(TICKS_PER_EVALUATION);
    boolean threshold = pacing.policy().equals("threshold");
    Duration history = threshold || evaluation.compareTo(HISTORY) > 0 ? evaluation : HISTORY;
    return new PacingSettings(
        pacing.policy(),
        capacity(queue),
        tick,
        history,
        threshold(pacing).withIntervals(tick.multipliedBy(TICKS_PER_READING), evaluation),
        demand(queue),
        PacingLimits.defaults()
            .withMaxWorkers(pacing.maxWorkers())
            .withMaxNotStarted(pacing.maxStarting()));
  }

  private static DemandSettings demand(QueueDefinition queue) {
    DemandSettings usual = DemandSettings.defaults().withWaitTarget(queue.pacing().waitTarget());
    if (!pulls(queue)) {
      return usual;
    }
    LingerDefinition linger = queue.worker().linger();
    return linger == null
        ? usual.withIntake(Intake.WHILE_RUNNING)
        : usual.withLinger(linger.idle());
  }

  /** Events that one run takes at the most. */
  static int capacity(QueueDefinition queue) {
    return queue.worker() == null ? queue.batch() : queue.worker().capacity(queue.batch());
  }

  private static ThresholdSettings threshold(PacingDefinition pacing) {
    ThresholdSettings published = ThresholdSettings.defaults();
    return new ThresholdSettings(
        pacing.upperLimit(),
        pacing.lowerLimit(),
        published.raise(),
        published.lower(),
        published.emptyReadings(),
        published.readEvery(),
        published.evaluateEvery(),
        pacing.backlog(),
        published.initialRate(),
        published.minimumRate());
  }

  /** What a recorded decision tells of the definition in force, overrides included. */
  static Map<String, Double> figures(QueueDefinition queue, PacingSettings settings) {
    PacingDefinition pacing = queue.pacing();
    Map<String, Double> figures = new TreeMap<>();
    figures.put("batch", (double) settings.eventsPerWorker());
    figures.put("tickSeconds", seconds(settings.tick()));
    figures.put("waitTargetSeconds", seconds(pacing.waitTarget()));
    figures.put("maxWorkers", (double) pacing.maxWorkers());
    figures.put("maxStarting", (double) pacing.maxStarting());
    figures.put("maxPerNode", (double) pacing.maxPerNode());
    figures.put("maxEventsPerSecond", pacing.maxEventsPerSecond());
    figures.put("upperLimit", (double) pacing.upperLimit());
    figures.put("lowerLimit", (double) pacing.lowerLimit());
    figures.put("backlog", (double) pacing.backlog());
    if (pulls(queue)) {
      figures.put("lingerSeconds", seconds(settings.demand().linger()));
      if (queue.worker().linger() != null) {
        figures.put("longestRunSeconds", seconds(queue.worker().linger().maxTime()));
      }
    }
    return figures;
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1e3;
  }

  /** Whether workers take their events by themselves, while they run. */
  static boolean pulls(QueueDefinition queue) {
    return queue.worker() != null && queue.worker().input() != WorkerInput.STDIN;
  }
}

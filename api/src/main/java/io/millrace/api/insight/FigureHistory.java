package io.millrace.api.insight;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * How the figures of a queue or a node changed over a span of time.
 *
 * @param name of the queue or node
 * @param from beginning of the span; later than requested if nothing is kept that long
 * @param to end of the span, exclusive
 * @param stepSeconds length of the steps that each sample sums up
 * @param samples in order of time; a step of which nothing was measured has none
 */
public record FigureHistory(
    String name, Instant from, Instant to, long stepSeconds, List<FigureSample> samples) {
  /** Events that wait. */
  public static final String WAITING = "waiting";

  /** Events stored per second. */
  public static final String EVENT_RATE = "eventRate";

  /** Events done per second. */
  public static final String DONE_RATE = "doneRate";

  /** Workers started per second. */
  public static final String WORKER_RATE = "workerRate";

  /** Workers that run. */
  public static final String WORKERS_RUNNING = "workersRunning";

  /** Age of the oldest waiting event in seconds. */
  public static final String OLDEST_SECONDS = "oldestSeconds";

  /** Load of a queue node, 0 to 1, which is that of its busiest part. */
  public static final String LOAD = "load";

  /** Share of time in which a queue node's store writer is busy. */
  public static final String STORE = "store";

  /** Share of the processors in use. */
  public static final String CPU = "cpu";

  /** Share of time spent waiting for the disk; absent if unknown. */
  public static final String DISK = "disk";

  /** Points of all queues on a queue node. */
  public static final String POINTS = "points";

  /** Unfinished events on a queue node. */
  public static final String UNFINISHED = "unfinished";

  /** Slots of an execution node. */
  public static final String SLOTS = "slots";

  /** Slots booked. */
  public static final String USED_SLOTS = "usedSlots";

  /** Processors booked. */
  public static final String USED_CPUS = "usedCpus";

  /** Memory booked, in bytes. */
  public static final String USED_MEMORY = "usedMemoryBytes";

  public FigureHistory {
    samples = List.copyOf(samples);
  }

  /**
   * One step of a span.
   *
   * @param at its beginning
   * @param figures by name: of queues waiting, eventRate, doneRate, workerRate, workersRunning,
   *     oldestSeconds; of queue nodes load, store, cpu, disk, points, unfinished; of execution
   *     nodes slots, usedSlots, usedCpus, usedMemoryBytes
   * @param weights of a queue, its points by queue node at the end of the step; empty for nodes
   */
  public record FigureSample(
      Instant at, Map<String, SampledFigure> figures, Map<String, Integer> weights) {
    public FigureSample {
      figures = Map.copyOf(figures);
      weights = Map.copyOf(weights);
    }
  }

  /**
   * A figure within one step.
   *
   * @param mean over the time of the step that was measured
   * @param most the largest value measured in the step
   */
  public record SampledFigure(double mean, double most) {
    /** A single measurement. */
    public static SampledFigure of(double value) {
      return new SampledFigure(value, value);
    }
  }
}

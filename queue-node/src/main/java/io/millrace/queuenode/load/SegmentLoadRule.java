package io.millrace.queuenode.load;

import io.millrace.api.queue.SegmentFigures.SegmentLoad;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Computes the load of each segment on its node (H-119): rates from counters, smoothed as the
 * node's own signals are, and the segment's part of all the store's time; while the store has spent
 * none, its part of all events. The parts of one node sum to 1, or to 0 without any activity. Pure.
 */
public final class SegmentLoadRule {
  /** Below this the store's time is only the clock's granularity. */
  private static final double MIN_STORE_SECONDS = 1e-6;

  private static final double MIN_RATE = 1e-6;

  private final double newShare;

  /** A rule whose newest sample counts for this share, 0 to 1. */
  public SegmentLoadRule(double newShare) {
    this.newShare = newShare;
  }

  /**
   * The loads after one more sample, by queue.
   *
   * @param before the previous result
   * @param from the counters of the previous sample; a segment that is missing there is newer
   * @param to the counters now
   * @param elapsedSeconds between the two samples
   */
  public Map<String, SegmentLoad> next(
      Map<String, SegmentLoad> before,
      Map<String, SegmentCounters> from,
      Map<String, SegmentCounters> to,
      double elapsedSeconds) {
    Map<String, SegmentLoad> rates = new HashMap<>();
    to.forEach(
        (queue, now) ->
            rates.put(
                queue,
                smoothed(
                    before.getOrDefault(queue, SegmentLoad.NONE),
                    from.getOrDefault(queue, SegmentCounters.NONE),
                    now,
                    elapsedSeconds)));
    return shared(rates);
  }

  private SegmentLoad smoothed(
      SegmentLoad before, SegmentCounters from, SegmentCounters to, double seconds) {
    return new SegmentLoad(
        smoothed(before.puts(), (double) (to.puts() - from.puts()), seconds),
        smoothed(before.gets(), (double) (to.gets() - from.gets()), seconds),
        smoothed(before.bytes(), (double) (to.bytes() - from.bytes()), seconds),
        smoothed(before.storeSeconds(), (to.storeNanos() - from.storeNanos()) / 1e9, seconds),
        0);
  }

  private double smoothed(double before, double gained, double seconds) {
    return newShare * Math.max(0, gained) / seconds + (1 - newShare) * before;
  }

  private static Map<String, SegmentLoad> shared(Map<String, SegmentLoad> rates) {
    double storeSeconds = sum(rates, SegmentLoad::storeSeconds);
    ToDoubleFunction<SegmentLoad> measure =
        storeSeconds > MIN_STORE_SECONDS
            ? SegmentLoad::storeSeconds
            : load -> load.puts() + load.gets();
    double all = sum(rates, measure);
    rates.replaceAll(
        (queue, load) ->
            new SegmentLoad(
                load.puts(),
                load.gets(),
                load.bytes(),
                load.storeSeconds(),
                all > MIN_RATE ? measure.applyAsDouble(load) / all : 0));
    return Map.copyOf(rates);
  }

  private static double sum(Map<String, SegmentLoad> rates, ToDoubleFunction<SegmentLoad> measure) {
    return rates.values().stream().mapToDouble(measure).sum();
  }

  /**
   * What one segment has done since its store was created.
   *
   * @param puts events stored
   * @param gets events leased
   * @param bytes bytes stored and leased
   * @param storeNanos time that the store's writer has worked for it
   */
  public record SegmentCounters(long puts, long gets, long bytes, long storeNanos) {
    static final SegmentCounters NONE = new SegmentCounters(0, 0, 0, 0);
  }
}

package io.millrace.simulator.balance;

import io.millrace.simulator.pacing.RateCurve;
import io.millrace.simulator.pacing.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Successive days of recorded traffic, one queue per trace. The traces begin at the same moment,
 * whatever their timestamps. Immutable.
 */
public final class RecordedDays implements DayPlan {
  private static final int DAY = 86_400;

  /** Seconds over which the rate of a trace is its mean. */
  private static final int MINUTE = 60;

  private final int nodes;
  private final double peak;
  private final SortedMap<String, RateCurve> queues;

  private RecordedDays(int nodes, double peak, SortedMap<String, RateCurve> queues) {
    this.nodes = nodes;
    this.peak = peak;
    this.queues = queues;
  }

  /**
   * Days of recorded traffic.
   *
   * @param nodes number of queue nodes, at least 2
   * @param traces by the name of the queue
   * @param days number of days that are simulated
   * @param peak events per second that the busiest minute of all queues together in these days is
   *     scaled to, all queues by the same factor; null to simulate the rates as recorded
   * @throws IllegalArgumentException where a trace is shorter than the days, or has no events
   */
  public static RecordedDays of(int nodes, Map<String, Trace> traces, int days, Double peak) {
    traces.forEach(
        (name, trace) -> {
          int whole = (int) (trace.seconds() / DAY);
          if (whole < days) {
            throw new IllegalArgumentException(
                "trace %s has %d whole days: use traces of at least %d days, or a smaller --seeds"
                    .formatted(name, whole, days));
          }
        });
    SortedMap<String, RateCurve> queues = new TreeMap<>(traces);
    double recorded = peak(queues.values(), days);
    if (recorded == 0) {
      throw new IllegalArgumentException(
          "the traces have no events in %d day(s): use other traces".formatted(days));
    }
    if (peak != null) {
      queues.replaceAll((name, curve) -> curve.times(peak / recorded));
    }
    return new RecordedDays(nodes, peak == null ? recorded : peak, queues);
  }

  private static double peak(Iterable<RateCurve> queues, int days) {
    double most = 0;
    for (int second = 0; second < days * DAY; second += MINUTE) {
      double sum = 0;
      for (RateCurve queue : queues) {
        sum += rate(queue, second);
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  /** The mean of the minute. */
  private static double rate(RateCurve queue, double second) {
    double minute = Math.floor(second / MINUTE) * MINUTE;
    return (queue.until(minute + MINUTE) - queue.until(minute)) / MINUTE;
  }

  @Override
  public int nodes() {
    return nodes;
  }

  /** Midnight: a trace begins at the start of its first day. */
  @Override
  public double begin() {
    return 0;
  }

  @Override
  public List<QueueProfile> queues(long day, RandomGenerator random) {
    double start = (day - 1) * DAY;
    List<QueueProfile> profiles = new ArrayList<>();
    queues.forEach(
        (name, curve) ->
            profiles.add(new QueueProfile(name, second -> rate(curve, start + second))));
    return profiles;
  }

  @Override
  public String text() {
    return String.format(
        Locale.ROOT, "%d nodes, %d queues, together up to %.1f/s", nodes, queues.size(), peak);
  }
}

package io.millrace.simulator.balance;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * A published configuration: numbers of nodes and queues and the maximum rates (H-130..H-133).
 *
 * <p>The publication gives no course of the day. Here the hot queue peaks at 16:00 and the others,
 * each at a different hour, within 8 hours of it; a night is a tenth of a peak.
 *
 * @param number 1 to 4
 * @param nodes queue nodes
 * @param small number of queues for each of the small maximum rates
 * @param smallRates events per second
 * @param hotRate maximum rate of the one hot queue; 0 for none
 */
public record Configuration(
    int number, int nodes, List<Integer> small, List<Double> smallRates, double hotRate) {
  private static final double HOT_PEAK = 16 * 3600;
  private static final double SPREAD = 8 * 3600;
  private static final double LOW = 0.1;

  /** The four published configurations. */
  public static final List<Configuration> PUBLISHED =
      List.of(
          new Configuration(1, 8, List.of(6, 5), List.of(10.0, 100.0), 1800),
          new Configuration(2, 6, List.of(6, 5), List.of(10.0, 100.0), 1800),
          new Configuration(3, 50, List.of(200), List.of(100.0), 0),
          new Configuration(4, 50, List.of(150), List.of(100.0), 5000));

  /** The queues, the hot one first, with random peaks. */
  List<QueueProfile> queues(RandomGenerator random) {
    List<QueueProfile> queues = new ArrayList<>();
    if (hotRate > 0) {
      queues.add(new QueueProfile("hot", hotRate, LOW, HOT_PEAK));
    }
    for (int kind = 0; kind < small.size(); kind++) {
      for (int i = 0; i < small.get(kind); i++) {
        String name = String.format(Locale.ROOT, "q%d-%03d", Math.round(smallRates.get(kind)), i);
        double peak = HOT_PEAK + random.nextDouble(-SPREAD, SPREAD);
        queues.add(new QueueProfile(name, smallRates.get(kind), LOW, peak));
      }
    }
    return queues;
  }

  /** Describes the configuration. */
  public String text() {
    int queues = small.stream().mapToInt(Integer::intValue).sum() + (hotRate > 0 ? 1 : 0);
    String hot = hotRate > 0 ? String.format(Locale.ROOT, ", one of up to %.0f/s", hotRate) : "";
    return nodes + " nodes, " + queues + " queues" + hot;
  }

  /**
   * Arrival rate of a queue over a day: a cosine between a minimum at night and a maximum during
   * the day.
   *
   * @param name the queue
   * @param maxRate events per second at its peak
   * @param lowShare minimum as a share of the maximum, 0 to 1
   * @param peakSecond time of the maximum in seconds of the day
   */
  record QueueProfile(String name, double maxRate, double lowShare, double peakSecond) {
    private static final double DAY = 86_400;

    /** Events per second at a second of the day. */
    public double rate(double second) {
      double height = (1 + Math.cos(2 * Math.PI * (second - peakSecond) / DAY)) / 2;
      return maxRate * (lowShare + (1 - lowShare) * height);
    }
  }
}

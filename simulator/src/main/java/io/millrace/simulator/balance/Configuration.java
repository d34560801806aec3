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
    int number, int nodes, List<Integer> small, List<Double> smallRates, double hotRate)
    implements DayPlan {
  private static final double BEGIN = 4 * 3600;
  private static final double HOT_PEAK = 16 * 3600;
  private static final double SPREAD = 8 * 3600;
  private static final double LOW = 0.1;
  private static final double DAY = 86_400;

  /** The four published configurations. */
  public static final List<Configuration> PUBLISHED =
      List.of(
          new Configuration(1, 8, List.of(6, 5), List.of(10.0, 100.0), 1800),
          new Configuration(2, 6, List.of(6, 5), List.of(10.0, 100.0), 1800),
          new Configuration(3, 50, List.of(200), List.of(100.0), 0),
          new Configuration(4, 50, List.of(150), List.of(100.0), 5000));

  /** At 04:00. */
  @Override
  public double begin() {
    return BEGIN;
  }

  /** The queues, the hot one first, with random peaks. */
  @Override
  public List<QueueProfile> queues(long day, RandomGenerator random) {
    List<QueueProfile> queues = new ArrayList<>();
    if (hotRate > 0) {
      queues.add(cosine("hot", hotRate, HOT_PEAK));
    }
    for (int kind = 0; kind < small.size(); kind++) {
      for (int i = 0; i < small.get(kind); i++) {
        String name = String.format(Locale.ROOT, "q%d-%03d", Math.round(smallRates.get(kind)), i);
        double peak = HOT_PEAK + random.nextDouble(-SPREAD, SPREAD);
        queues.add(cosine(name, smallRates.get(kind), peak));
      }
    }
    return queues;
  }

  @Override
  public String text() {
    int queues = small.stream().mapToInt(Integer::intValue).sum() + (hotRate > 0 ? 1 : 0);
    String hot = hotRate > 0 ? String.format(Locale.ROOT, ", one of up to %.0f/s", hotRate) : "";
    return nodes + " nodes, " + queues + " queues" + hot;
  }

  /**
   * Arrivals over a day: a cosine between a minimum at night and a maximum during the day.
   *
   * @param name the queue
   * @param maxRate events per second at its peak
   * @param peakSecond time of the maximum in seconds of the day
   */
  private static QueueProfile cosine(String name, double maxRate, double peakSecond) {
    return new QueueProfile(
        name,
        second -> {
          double height = (1 + Math.cos(2 * Math.PI * (second - peakSecond) / DAY)) / 2;
          return maxRate * (LOW + (1 - LOW) * height);
        });
  }
}

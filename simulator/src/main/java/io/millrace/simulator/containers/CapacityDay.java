package io.millrace.simulator.containers;

import io.millrace.simulator.pacing.RateCurve;
import java.util.List;

/**
 * One day of consumers from 04:00 to 04:00, with a burst of one kind of work and the loss of a
 * node. The publication gives the kinds (H-151), a cluster of 8 execution nodes with 68 slots
 * (H-210) and the hour of the crash (H-157); rates, burst and times of handling are ours.
 *
 * @param nodes execution nodes
 * @param slots consumers or workers that can work on one node at the same time
 * @param secondsPerEvent time of a consumer or worker per event
 * @param burst arrivals of the large kind during the burst, as a multiple of the usual ones
 * @param burstAt seconds of the day
 * @param burstSeconds length of the burst
 * @param lossAt time of the loss of a node in seconds of the day
 * @param lossSeconds duration of the loss
 * @param noticed seconds until the loss is detected
 */
public record CapacityDay(
    int nodes,
    int slots,
    double secondsPerEvent,
    double burst,
    double burstAt,
    double burstSeconds,
    double lossAt,
    double lossSeconds,
    double noticed) {
  static final int BEGIN = 4 * 3600;
  static final int SECONDS = 24 * 3600;
  private static final double HOUR = 3600;
  private static final double LARGE = 120;
  private static final double SMALL = 20;

  public CapacityDay {
    if (nodes < 3 || slots < 1 || !(burst >= 1) || !(secondsPerEvent > 0)) {
      throw new IllegalArgumentException(
          "a day needs at least 3 nodes, a slot on each and a burst of 1");
    }
  }

  /**
   * 8 nodes of 8 slots; four times the large kind for half an hour at 10:00; a node is lost 13:35.
   */
  public static CapacityDay usual() {
    return new CapacityDay(8, 8, 0.1, 4, 10 * HOUR, HOUR / 2, 13 * HOUR + 2100, 2 * HOUR, 30);
  }

  public CapacityDay withBurst(double newBurst) {
    return new CapacityDay(
        nodes,
        slots,
        secondsPerEvent,
        newBurst,
        burstAt,
        burstSeconds,
        lossAt,
        lossSeconds,
        noticed);
  }

  public CapacityDay withCluster(int newNodes, int newSlots) {
    return new CapacityDay(
        newNodes,
        newSlots,
        secondsPerEvent,
        burst,
        burstAt,
        burstSeconds,
        lossAt,
        lossSeconds,
        noticed);
  }

  /** The large kind first. */
  List<TaskType> types() {
    return List.of(
        new TaskType("alert", LARGE, burst, false),
        new TaskType("blogping", SMALL, 1, false),
        new TaskType("feedleecher", SMALL, 1, false),
        new TaskType("order", SMALL, 1, false),
        new TaskType("sms", SMALL, 1, false));
  }

  /** Events per second of a kind, by seconds since the start. */
  double rate(TaskType type, double second) {
    double ofDay = BEGIN + second;
    boolean bursting = ofDay >= burstAt && ofDay < burstAt + burstSeconds;
    return type.usualRate(ofDay) * (bursting ? type.burst() : 1);
  }

  /** Number of consumers that would be busy all the time, of all kinds. */
  double needed(double second) {
    return types().stream().mapToDouble(type -> rate(type, second)).sum() * secondsPerEvent;
  }

  RateCurve curve(TaskType type) {
    double[] sums = new double[SECONDS + 1];
    for (int second = 0; second < SECONDS; second++) {
      sums[second + 1] = sums[second] + rate(type, second);
    }
    return second -> {
      int index = (int) Math.min(second, SECONDS - 1);
      return sums[index] + Math.min(1, second - index) * (sums[index + 1] - sums[index]);
    };
  }

  /** Times of burst and loss in seconds since the start. */
  double burstFrom() {
    return burstAt - BEGIN;
  }

  double lossFrom() {
    return lossAt - BEGIN;
  }

  /**
   * Work of one kind with its rate over a day: a cosine between a minimum at night and a daily
   * peak, with a burst on top.
   *
   * @param name the kind
   * @param peakRate events per second at its usual peak
   * @param burst arrivals during the burst as a multiple of the usual ones; 1 for none
   * @param single whether only one instance may exist (H-263)
   */
  record TaskType(String name, double peakRate, double burst, boolean single) {
    private static final double DAY = 86_400;
    private static final double LOW = 0.1;
    private static final double PEAK_AT = 16 * 3600;

    /** Usual events per second at a second of the day. */
    double usualRate(double second) {
      double height = (1 + Math.cos(2 * Math.PI * (second - PEAK_AT) / DAY)) / 2;
      return peakRate * (LOW + (1 - LOW) * height);
    }
  }
}

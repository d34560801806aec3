package io.millrace.simulator.containers;

import io.millrace.simulator.pacing.Waits;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of one day.
 *
 * @param arrangement name of the arrangement
 * @param heldHours consumer or worker hours
 * @param neededHours consumer hours that the events need without idle time
 * @param mostHeld maximum number of consumers or workers
 * @param events number of handled events
 * @param meanWait mean seconds until an event is taken by a consumer or worker
 * @param p99Wait 99th percentile in seconds
 * @param longestWait maximum in seconds
 * @param enoughAfterBurst seconds from the start of the burst until the backlog of its kind stops
 *     growing
 * @param calmAfterBurst seconds from its start until no event is older than ten seconds for a
 *     minute
 * @param calmAfterLoss the same from the loss of the node
 * @param moves containers moved from node to node
 * @param starts containers, or workers, started
 * @param leftOver events waiting at the end
 */
public record CapacityResult(
    String arrangement,
    double heldHours,
    double neededHours,
    double mostHeld,
    double events,
    double meanWait,
    double p99Wait,
    double longestWait,
    double enoughAfterBurst,
    double calmAfterBurst,
    double calmAfterLoss,
    double moves,
    double starts,
    double leftOver) {

  /**
   * One point of the curves of a day.
   *
   * @param second from the beginning
   * @param needed consumers that the arrivals would keep busy
   * @param held existing consumers or workers
   * @param waiting events
   * @param delay maximum age of a waiting event since the last point, in seconds
   */
  public record CapacitySample(
      double second, double needed, double held, double waiting, double delay) {}

  /** Records a day while it is simulated. Used by one thread. */
  static final class CapacityTrack {
    private static final int MINUTE = 60;
    private static final int POINT = 120;
    private static final int GROWTH = 15;
    private static final double OLD = 10;

    private final CapacityDay day;
    private final double[] bursting = new double[CapacityDay.SECONDS];
    private final double[] ages = new double[CapacityDay.SECONDS];
    private final List<CapacitySample> samples = new ArrayList<>();
    private double heldSeconds;
    private double neededSeconds;
    private double pointHeld;
    private double pointDelay;
    private int mostHeld;

    CapacityTrack(CapacityDay day) {
      this.day = day;
    }

    /**
     * After a second.
     *
     * @param burstWaiting events of the kind that bursts
     * @param waiting events of all kinds
     * @param oldest age in seconds
     */
    void note(int second, int held, long burstWaiting, long waiting, double oldest) {
      bursting[second] = burstWaiting;
      ages[second] = oldest;
      heldSeconds += held;
      neededSeconds += day.needed(second);
      mostHeld = Math.max(mostHeld, held);
      pointHeld += held;
      pointDelay = Math.max(pointDelay, oldest);
      if ((second + 1) % POINT == 0) {
        samples.add(
            new CapacitySample(
                second + 1.0, day.needed(second), pointHeld / POINT, waiting, pointDelay));
        pointHeld = 0;
        pointDelay = 0;
      }
    }

    List<CapacitySample> samples() {
      return List.copyOf(samples);
    }

    CapacityResult result(String name, Waits waits, int moves, long starts, long leftOver) {
      return new CapacityResult(
          name,
          heldSeconds / 3600,
          neededSeconds / 3600,
          mostHeld,
          waits.events(),
          waits.mean(),
          waits.quantile(0.99),
          waits.longest(),
          enough((int) day.burstFrom()),
          calm((int) day.burstFrom()),
          calm((int) day.lossFrom()),
          moves,
          starts,
          leftOver);
    }

    private double enough(int from) {
      for (int second = from + GROWTH; second < bursting.length; second++) {
        if (bursting[second] <= bursting[second - GROWTH]) {
          return second - from;
        }
      }
      return (double) bursting.length - from;
    }

    private double calm(int from) {
      int calmSince = from;
      for (int second = from; second < ages.length; second++) {
        if (ages[second] > OLD) {
          calmSince = second + 1;
        } else if (second - calmSince >= MINUTE) {
          return calmSince - from;
        }
      }
      return (double) ages.length - from;
    }
  }
}

package io.millrace.simulator.balance;

/**
 * How many events come to a queue in the course of a day: a cosine between a night's low and a
 * day's peak.
 *
 * @param name the queue
 * @param maxRate events per second at its peak
 * @param lowShare its low as a part of its peak, 0 to 1
 * @param peakSecond when it peaks, in seconds of the day
 */
public record QueueProfile(String name, double maxRate, double lowShare, double peakSecond) {
  private static final double DAY = 86_400;

  /** Events per second at a second of the day. */
  public double rate(double second) {
    double height = (1 + Math.cos(2 * Math.PI * (second - peakSecond) / DAY)) / 2;
    return maxRate * (lowShare + (1 - lowShare) * height);
  }
}

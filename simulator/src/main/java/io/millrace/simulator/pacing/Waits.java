package io.millrace.simulator.pacing;

import java.util.Arrays;

/**
 * Waiting times of events, counted in classes that differ by two percent, so that a simulated year
 * takes as much memory as a minute. Used by one thread.
 */
public final class Waits {
  private static final double SHORTEST = 0.001;
  private static final double CLASS = Math.log(1.02);

  private long[] counts = new long[256];
  private long events;
  private double sum;
  private double longest;

  /** Adds a number of events with the same waiting time in seconds. */
  public void add(double seconds, long more) {
    if (more <= 0) {
      return;
    }
    int found = seconds <= SHORTEST ? 0 : 1 + (int) (Math.log(seconds / SHORTEST) / CLASS);
    if (found >= counts.length) {
      counts = Arrays.copyOf(counts, Math.max(found + 1, 2 * counts.length));
    }
    counts[found] += more;
    events += more;
    sum += seconds * more;
    longest = Math.max(longest, seconds);
  }

  /** Adds all of another. */
  public void add(Waits other) {
    if (other.counts.length > counts.length) {
      counts = Arrays.copyOf(counts, other.counts.length);
    }
    for (int i = 0; i < other.counts.length; i++) {
      counts[i] += other.counts[i];
    }
    events += other.events;
    sum += other.sum;
    longest = Math.max(longest, other.longest);
  }

  public long events() {
    return events;
  }

  /** Mean in seconds; 0 without events. */
  public double mean() {
    return events == 0 ? 0 : sum / events;
  }

  public double longest() {
    return longest;
  }

  /**
   * The wait, in seconds, that this part of the events did not exceed, up to two percent more.
   *
   * @param part 0 to 1
   */
  public double quantile(double part) {
    long target = (long) Math.ceil(part * events);
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= target && seen > 0) {
        return i == 0 ? 0 : Math.min(longest, SHORTEST * Math.exp(i * CLASS));
      }
    }
    return 0;
  }
}

package io.millrace.api.queue;

import java.util.List;

/**
 * Buckets for delays that can be added over segments: ten per decade from 1 ms to 10^6 s; a
 * quantile read from them is at most 26 % above the true value.
 */
public final class DelayBuckets {
  /** How many buckets there are. */
  public static final int COUNT = 91;

  private static final double PER_DECADE = 10;

  private DelayBuckets() {}

  /** The bucket of a delay in seconds. */
  public static int of(double seconds) {
    double position = Math.ceil(Math.log10(Math.max(seconds, 1e-3) / 1e-3) * PER_DECADE - 1e-9);
    return (int) Math.min(COUNT - 1, Math.max(0, position));
  }

  /** The upper edge of a bucket in seconds. */
  public static double edge(int bucket) {
    return 1e-3 * Math.pow(10, bucket / PER_DECADE);
  }

  /** The upper edge of the bucket that holds the quantile (0..1), in seconds; 0 without counts. */
  public static double quantile(List<Long> counts, double quantile) {
    long total = counts.stream().mapToLong(Long::longValue).sum();
    long rank = (long) Math.ceil(total * quantile);
    long seen = 0;
    for (int bucket = 0; bucket < counts.size(); bucket++) {
      seen += counts.get(bucket);
      if (total > 0 && seen >= Math.max(rank, 1)) {
        return edge(bucket);
      }
    }
    return 0;
  }
}

package io.millrace.queuenode.store;

/**
 * A token bucket that holds one second of its rate. A batch larger than that is let in when the
 * bucket is full, and leaves it in debt, so that no batch is shut out for ever. One thread at a
 * time.
 */
final class PutRateLimit {
  private static final double NANOS = 1e9;

  // The bucket as it is when the last charge was made.
  private double tokens;
  private long atNanos;
  private double uncommitted;

  /** A full bucket. */
  PutRateLimit(double rate, long nowNanos) {
    tokens = room(rate);
    atNanos = nowNanos;
  }

  /**
   * Takes tokens.
   *
   * @param rate events per second, above 0; it may change from call to call
   * @return seconds until the same would succeed if nobody else takes any; 0 when it did
   */
  double take(int events, double rate, long nowNanos) {
    double room = room(rate);
    tokens = Math.min(room, tokens + (nowNanos - atNanos) / NANOS * rate);
    atNanos = nowNanos;
    double needed = Math.min(events, room);
    if (tokens < needed) {
      return (needed - tokens) / rate;
    }
    tokens -= events;
    uncommitted += events;
    return 0;
  }

  void commit() {
    uncommitted = 0;
  }

  void rollback() {
    tokens += uncommitted;
    uncommitted = 0;
  }

  private static double room(double rate) {
    return Math.max(1, rate);
  }
}

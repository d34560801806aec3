package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.queuenode.store.PutOrder.PutLimits;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Refuses batches that exceed a segment's limits. Checked at each put with the current figures, so
 * it cannot stay closed: a batch larger than the segment's share, but not than the queue's limit,
 * is accepted if the segment is empty. Used by the writer's thread.
 */
public final class AdmissionControl {
  private final Map<String, PutRateLimit> buckets = new HashMap<>();
  private final Set<PutRateLimit> charged = new HashSet<>();

  /**
   * Accepts the batch or throws QUEUE_FULL, RATE_LIMITED or, for one that never fits, another
   * refusal.
   */
  void admit(PutOrder order, long unfinished, long bytes, long nowNanos) {
    PutLimits limits = order.limits();
    int size = order.events().size();
    if (size > limits.maxEvents()) {
      throw neverFits(order, size + " events", limits.maxEvents() + " unfinished (maxEvents)");
    }
    if (unfinished > 0 && unfinished + size > limits.events()) {
      throw full(
          order,
          unfinished + " of at most " + limits.events() + " unfinished events (maxEvents",
          "send again later, or run more workers");
    }
    admitBytes(order, bytes);
    admitRate(order, nowNanos);
  }

  private static void admitBytes(PutOrder order, long bytes) {
    PutLimits limits = order.limits();
    if (limits.maxBytes() == 0) {
      return;
    }
    long size = order.bytes();
    if (size > limits.maxBytes()) {
      throw neverFits(order, size + " bytes", limits.maxBytes() + " bytes (maxBytes)");
    }
    if (bytes > 0 && bytes + size > limits.bytes()) {
      throw full(
          order,
          bytes + " of at most " + limits.bytes() + " bytes (maxBytes",
          "send again later, run more workers, or requeue or delete its dead letters");
    }
  }

  /** Accepts the batch or throws RATE_LIMITED. */
  public void admitRate(PutOrder order, long nowNanos) {
    double rate = order.limits().rate();
    if (rate <= 0) {
      buckets.remove(order.queue());
      return;
    }
    PutRateLimit bucket =
        buckets.computeIfAbsent(order.queue(), queue -> new PutRateLimit(rate, nowNanos));
    double wait = bucket.take(order.events().size(), rate, nowNanos);
    if (wait > 0) {
      throw new MillraceException(
          ErrorCode.RATE_LIMITED,
          String.format(
              Locale.ROOT,
              "the segment of queue %s accepts %.1f events per second (maxRate of the queue, by"
                  + " weight %d); send again in %.1f s",
              order.queue(),
              rate,
              order.limits().weight(),
              wait));
    }
    charged.add(bucket);
  }

  private static MillraceException full(PutOrder order, String holds, String whatToDo) {
    return new MillraceException(
        ErrorCode.QUEUE_FULL,
        "the segment of queue "
            + order.queue()
            + " holds "
            + holds
            + " of the queue, by weight "
            + order.limits().weight()
            + "); "
            + whatToDo);
  }

  private static MillraceException neverFits(PutOrder order, String has, String limit) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST,
        "batch "
            + order.batch()
            + " has "
            + has
            + ", and queue "
            + order.queue()
            + " takes "
            + limit
            + " in all: it would never fit; send smaller batches or raise the limit");
  }

  /** What was accepted since the last commit stays charged. */
  public void commit() {
    charged.forEach(PutRateLimit::commit);
    charged.clear();
  }

  void rollback() {
    charged.forEach(PutRateLimit::rollback);
    charged.clear();
  }

  /**
   * A token bucket that holds one second of its rate. A batch larger than that is accepted if the
   * bucket is full, and leaves it in debt, so that no batch is refused forever. One thread at a
   * time.
   */
  private static final class PutRateLimit {
    private static final double NANOS = 1e9;

    // The bucket at the last charge.
    private double tokens;
    private long atNanos;
    private double uncommitted;

    /** A full bucket. */
    PutRateLimit(double rate, long nowNanos) {
      tokens = capacity(rate);
      atNanos = nowNanos;
    }

    /**
     * Takes tokens.
     *
     * @param rate events per second, above 0; it may change from call to call
     * @return seconds until the same would succeed without other calls; 0 if it succeeded
     */
    double take(int events, double rate, long nowNanos) {
      double capacity = capacity(rate);
      tokens = Math.min(capacity, tokens + (nowNanos - atNanos) / NANOS * rate);
      atNanos = nowNanos;
      double needed = Math.min(events, capacity);
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

    private static double capacity(double rate) {
      return Math.max(1, rate);
    }
  }
}

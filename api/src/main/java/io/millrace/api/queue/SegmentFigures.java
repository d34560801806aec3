package io.millrace.api.queue;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.millrace.api.session.SessionView.SessionFigures;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The figures of one segment as its node measured them. Counters count since the store was created,
 * across restarts.
 *
 * @param queue the queue
 * @param node the queue node's name
 * @param weight points of 1000 that the node follows now
 * @param weightsVersion version of the weight row that it follows; 0 for none yet
 * @param waiting events ready to be leased
 * @param delayed events not ready yet
 * @param leased events in the hands of workers
 * @param dead dead letters
 * @param oldestSeconds age of the oldest waiting event; 0 when none waits
 * @param bytes size of all events kept
 * @param inserted events stored in total
 * @param delivered deliveries in total, repeated ones included
 * @param acknowledged events done in total
 * @param failed deliveries refused as failed in total
 * @param returned deliveries returned or expired in total
 * @param delays counts of the time from stored to acknowledged in total, by {@link DelayBuckets}
 * @param load its current load on the node; never null
 * @param trouble why the node does not serve it; null if it does
 * @param sessions of a queue of sessions, whose events wait while their session has no worker, and
 *     are leased while it has one; null for any other queue
 */
@RecordBuilder
public record SegmentFigures(
    String queue,
    String node,
    int weight,
    long weightsVersion,
    long waiting,
    long delayed,
    long leased,
    long dead,
    double oldestSeconds,
    long bytes,
    long inserted,
    long delivered,
    long acknowledged,
    long failed,
    long returned,
    List<Long> delays,
    SegmentLoad load,
    String trouble,
    @JsonInclude(JsonInclude.Include.NON_NULL) SessionFigures sessions)
    implements SegmentFiguresBuilder.With {
  public SegmentFigures {
    delays = delays == null ? List.of() : delays;
    load = load == null ? SegmentLoad.NONE : load;
  }

  /** The figures of a segment of a queue without sessions. */
  public SegmentFigures(
      String queue,
      String node,
      int weight,
      long weightsVersion,
      long waiting,
      long delayed,
      long leased,
      long dead,
      double oldestSeconds,
      long bytes,
      long inserted,
      long delivered,
      long acknowledged,
      long failed,
      long returned,
      List<Long> delays,
      SegmentLoad load,
      String trouble) {
    this(
        queue,
        node,
        weight,
        weightsVersion,
        waiting,
        delayed,
        leased,
        dead,
        oldestSeconds,
        bytes,
        inserted,
        delivered,
        acknowledged,
        failed,
        returned,
        delays,
        load,
        trouble,
        null);
  }

  /** Whether it has no weight left and only delivers what it still holds. */
  public boolean draining() {
    return weight == 0 && unfinished() > 0;
  }

  /** Whether a queue manager is needed: there is weight, or events that are not finished. */
  public boolean needsManager() {
    return weight > 0 || unfinished() > 0;
  }

  /** Events that are not finished. */
  public long unfinished() {
    return waiting + delayed + leased;
  }

  /** The same figures, with the load on its node and why it is not served; null if it is. */
  public SegmentFigures with(SegmentLoad measured, String reason) {
    return with(copy -> copy.load(measured).trouble(reason));
  }

  /** The same figures without the counts of delays, which are most of their size. */
  public SegmentFigures withoutDelays() {
    return withDelays(List.of());
  }

  /**
   * The load of one segment on its node, smoothed.
   *
   * @param puts events stored per second
   * @param gets events leased per second
   * @param bytes bytes stored and leased per second
   * @param storeSeconds seconds of the store's writer spent for it per second, 0 to 1
   * @param share its share of the node's load, 0 to 1
   */
  public record SegmentLoad(
      double puts, double gets, double bytes, double storeSeconds, double share) {
    /** No load, or not measured yet. */
    public static final SegmentLoad NONE = new SegmentLoad(0, 0, 0, 0, 0);
  }

  /**
   * Buckets for delays that can be added over segments: ten per decade from 1 ms to 10^6 s; a
   * quantile read from them is at most 26 % above the true value.
   */
  public static final class DelayBuckets {
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

    /**
     * The upper edge of the bucket that holds the quantile (0..1), in seconds; 0 without counts.
     */
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
}

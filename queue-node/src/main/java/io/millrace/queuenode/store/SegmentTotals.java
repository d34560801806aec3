package io.millrace.queuenode.store;

import io.millrace.api.queue.DelayBuckets;
import java.util.Collections;
import java.util.List;

/**
 * The figures of one segment as committed; counters since the store was made. What was inserted and
 * is not acknowledged or dropped is kept: waiting, delayed, leased or dead.
 *
 * @param waiting ready events
 * @param delayed events not ready yet
 * @param leased events in the hands of workers
 * @param dead dead letters
 * @param bytes size of all events kept
 * @param oldestStoredAt when the oldest ready event was stored, wall time in milliseconds; 0 when
 *     none is ready
 * @param inserted events stored
 * @param insertedBytes their size
 * @param delivered deliveries
 * @param deliveredBytes size of the events delivered, each time
 * @param acknowledged events done
 * @param failed deliveries refused as failed
 * @param returned deliveries returned or expired
 * @param dropped events deleted undone: purged, or dropped as dead letters
 * @param delays counts of the time from stored to acknowledged by {@link DelayBuckets}
 */
public record SegmentTotals(
    long waiting,
    long delayed,
    long leased,
    long dead,
    long bytes,
    long oldestStoredAt,
    long inserted,
    long insertedBytes,
    long delivered,
    long deliveredBytes,
    long acknowledged,
    long failed,
    long returned,
    long dropped,
    List<Long> delays) {
  /** Nothing stored, ever. */
  public static final SegmentTotals NONE =
      new SegmentTotals(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Collections.nCopies(DelayBuckets.COUNT, 0L));

  /** Events that somebody still has to work on. */
  public long unfinished() {
    return waiting + delayed + leased;
  }

  SegmentTotals withOldest(long storedAt) {
    return new SegmentTotals(
        waiting,
        delayed,
        leased,
        dead,
        bytes,
        storedAt,
        inserted,
        insertedBytes,
        delivered,
        deliveredBytes,
        acknowledged,
        failed,
        returned,
        dropped,
        delays);
  }
}

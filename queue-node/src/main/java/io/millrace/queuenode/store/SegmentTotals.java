package io.millrace.queuenode.store;

import io.millrace.api.queue.SegmentFigures.DelayBuckets;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The committed figures of one segment; counters since the store was created. Events inserted and
 * not acknowledged or dropped are waiting, delayed, leased or dead.
 *
 * @param waiting ready events
 * @param delayed events not ready yet
 * @param leased events leased to workers
 * @param dead dead letters
 * @param bytes size of all stored events
 * @param oldestStoredAt when the oldest ready event was stored, wall time in milliseconds; 0 if
 *     none is ready
 * @param inserted events stored
 * @param insertedBytes their size
 * @param delivered deliveries
 * @param deliveredBytes size of the events delivered, counted at each delivery
 * @param acknowledged events done
 * @param failed deliveries refused as failed
 * @param returned deliveries returned or expired
 * @param dropped events deleted unprocessed: purged, or dropped as dead letters
 * @param delays counts of the time from storing to acknowledgement by {@link DelayBuckets}
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
  /** The figures of an unused segment. */
  public static final SegmentTotals NONE =
      new SegmentTotals(
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Collections.nCopies(DelayBuckets.COUNT, 0L));

  /** Events not yet processed. */
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

  /**
   * Encodes a segment's figures as the difference from the previous ones. The order of the figures
   * is part of the format.
   */
  static final class TotalsCodec {
    private TotalsCodec() {}

    static void write(ByteWriter writer, SegmentTotals totals, SegmentTotals before) {
      long[] now = figures(totals);
      long[] then = figures(before);
      for (int i = 0; i < now.length; i++) {
        writer.signed(now[i] - then[i]);
      }
      int changed = 0;
      for (int i = 0; i < totals.delays().size(); i++) {
        changed += totals.delays().get(i).equals(before.delays().get(i)) ? 0 : 1;
      }
      writer.number(changed);
      for (int i = 0; i < totals.delays().size(); i++) {
        long more = totals.delays().get(i) - before.delays().get(i);
        if (more != 0) {
          writer.number(i);
          writer.signed(more);
        }
      }
    }

    static SegmentTotals read(ByteReader reader, SegmentTotals before) {
      long[] figures = figures(before);
      for (int i = 0; i < figures.length; i++) {
        figures[i] += reader.signed();
      }
      List<Long> delays = new ArrayList<>(before.delays());
      for (long changed = reader.number(); changed > 0; changed--) {
        int bucket = reader.smallNumber();
        delays.set(bucket, delays.get(bucket) + reader.signed());
      }
      return new SegmentTotals(
          figures[0],
          figures[1],
          figures[2],
          figures[3],
          figures[4],
          0,
          figures[5],
          figures[6],
          figures[7],
          figures[8],
          figures[9],
          figures[10],
          figures[11],
          figures[12],
          List.copyOf(delays));
    }

    private static long[] figures(SegmentTotals totals) {
      return new long[] {
        totals.waiting(),
        totals.delayed(),
        totals.leased(),
        totals.dead(),
        totals.bytes(),
        totals.inserted(),
        totals.insertedBytes(),
        totals.delivered(),
        totals.deliveredBytes(),
        totals.acknowledged(),
        totals.failed(),
        totals.returned(),
        totals.dropped()
      };
    }
  }
}

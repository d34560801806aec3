package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.EventLog.LiveEvents;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** Live events as a set that is no longer changed. Any thread. */
public record LiveSet(Roaring64Bitmap numbers) implements LiveEvents {
  @Override
  public boolean contains(long seq) {
    return numbers.contains(seq);
  }

  @Override
  public long count(long fromSeq, long toSeq) {
    if (numbers.isEmpty() || toSeq <= fromSeq) {
      return 0;
    }
    return numbers.rankLong(toSeq - 1) - numbers.rankLong(fromSeq - 1);
  }
}

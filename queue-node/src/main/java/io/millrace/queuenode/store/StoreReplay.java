package io.millrace.queuenode.store;

import io.millrace.queuenode.store.DeliveryState.DeliveryStateCodec.EventCodec;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.EventLog.LiveEvents;
import io.millrace.queuenode.store.log.LiveSet;
import io.millrace.queuenode.store.log.LogReplay;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** Rebuilds the state of a store from its log. One thread. */
final class StoreReplay implements LogReplay {
  private final EventIndex events;
  private final SegmentBook book;
  private final UndoList undo;
  private final LogRecords records;

  StoreReplay(EventIndex events, SegmentBook book, UndoList undo) {
    this.events = events;
    this.book = book;
    this.undo = undo;
    this.records = new LogRecords(events, book);
  }

  @Override
  public void image(ByteReader content) {
    StoreImage.read(content, events, book);
    groupEnded();
  }

  @Override
  public void event(long seq, ByteReader common, ByteReader content) {
    events.insert(EventCodec.delivery(common, content));
  }

  @Override
  public void record(int type, ByteReader content) {
    records.read(type, content);
  }

  @Override
  public void groupEnded() {
    undo.forget();
    book.batches().commit();
  }

  @Override
  public long lastSeq() {
    return events.lastSeq();
  }

  @Override
  public LiveEvents live() {
    Roaring64Bitmap all = new Roaring64Bitmap();
    events.queues().values().forEach(sets -> sets.addTo(all));
    return new LiveSet(all);
  }
}

package io.millrace.queuenode.store;

import io.millrace.queuenode.store.DeliveryState.DeliveryStateCodec;
import io.millrace.queuenode.store.EventIndex.DeadLetterInfo;
import io.millrace.queuenode.store.SegmentTotals.TotalsCodec;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import io.millrace.queuenode.store.log.EventLog.LiveEvents;
import io.millrace.queuenode.store.log.LiveSet;
import io.millrace.queuenode.store.log.LogReplay.LogImage;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** A copy of everything that a log store holds in memory. Immutable. */
final class StoreImage implements LogImage {
  private final long lastSeq;
  private final Map<Integer, byte[][]> queues = new TreeMap<>();
  private final DeliveryState[] deliveries;
  private final Map<Long, DeadLetterInfo> deadLetters;
  private final long term;
  private final Map<String, Integer> names;
  private final Map<Integer, Integer> versions;
  private final Map<Integer, SegmentTotals> totals;
  private final RememberedBatches.Image batches;

  StoreImage(EventIndex events, SegmentBook book) {
    this.lastSeq = events.lastSeq();
    events.queues().forEach((queue, sets) -> queues.put(queue, sets.bytes()));
    this.deliveries = events.deliveries().values().toArray(new DeliveryState[0]);
    this.deadLetters = new HashMap<>(events.deadLetters());
    this.term = book.term();
    this.names = new HashMap<>(book.queues());
    this.versions = new HashMap<>(book.versions());
    this.totals = new HashMap<>(book.totals());
    this.batches = book.batches().image();
  }

  @Override
  public LiveEvents live() {
    Roaring64Bitmap live = new Roaring64Bitmap();
    queues.values().forEach(sets -> QueueSets.of(sets).addTo(live));
    return new LiveSet(live);
  }

  @Override
  public void write(ByteWriter writer) {
    writer.number(lastSeq);
    writer.number(term);
    writer.number(queues.size());
    queues.forEach(
        (queue, sets) -> {
          writer.number(queue);
          QueueSets.write(writer, sets);
        });
    writeDeliveries(writer);
    writer.number(names.size());
    names.forEach(
        (name, queue) -> {
          writer.text(name);
          writer.number(queue);
        });
    writer.number(totals.size());
    totals.forEach(
        (queue, figures) -> {
          writer.number(queue);
          TotalsCodec.write(writer, figures, SegmentTotals.NONE);
        });
    // The number of plain names, which earlier versions wrote here.
    writer.number(0);
    batches.write(writer);
    writer.number(versions.size());
    versions.forEach(
        (queue, version) -> {
          writer.number(queue);
          writer.number(version);
        });
  }

  private void writeDeliveries(ByteWriter writer) {
    writer.number(deliveries.length);
    DeliveryState before = DeliveryStateCodec.ZERO;
    for (DeliveryState delivery : deliveries) {
      DeliveryStateCodec.write(writer, delivery, before);
      before = delivery;
    }
    writer.number(deadLetters.size());
    deadLetters.forEach(
        (seq, deadLetter) -> {
          writer.number(seq);
          writer.text(deadLetter.reason());
          writer.signed(deadLetter.diedAt());
        });
  }

  /** Loads what {@link #write} wrote into an empty store. */
  static void read(ByteReader reader, EventIndex events, SegmentBook book) {
    long lastSeq = reader.number();
    book.setTerm(reader.number());
    events.restoreLastSeq(lastSeq);
    for (long left = reader.number(); left > 0; left--) {
      int queue = reader.smallNumber();
      events.restore(queue, QueueSets.read(reader));
    }
    DeliveryState before = DeliveryStateCodec.ZERO;
    for (long left = reader.number(); left > 0; left--) {
      before = DeliveryStateCodec.read(reader, before);
      events.restore(before);
    }
    for (long left = reader.number(); left > 0; left--) {
      long seq = reader.number();
      String reason = reader.text();
      events.restore(seq, new DeadLetterInfo(reason, reader.signed()));
    }
    readBook(reader, book);
  }

  private static void readBook(ByteReader reader, SegmentBook book) {
    for (long left = reader.number(); left > 0; left--) {
      String name = reader.text();
      book.addQueue(name, reader.smallNumber(), 0);
    }
    for (long left = reader.number(); left > 0; left--) {
      int queue = reader.smallNumber();
      book.setTotals(queue, TotalsCodec.read(reader, SegmentTotals.NONE));
    }
    readBatches(reader, book.batches());
    if (reader.hasMore()) {
      readVersions(reader, book);
    }
  }

  private static void readVersions(ByteReader reader, SegmentBook book) {
    for (long left = reader.number(); left > 0; left--) {
      int queue = reader.smallNumber();
      book.setVersion(queue, reader.smallNumber());
    }
  }

  private static void readBatches(ByteReader reader, RememberedBatches batches) {
    long named = reader.number();
    for (long left = named; left > 0; left--) {
      Rows.BatchName batch = LogRecords.name(reader);
      batches.add(batch, reader.smallNumber());
      // After each name, so that no more than the limit are held.
      batches.commit();
    }
    if (reader.hasMore()) {
      batches.read(reader);
    }
  }
}

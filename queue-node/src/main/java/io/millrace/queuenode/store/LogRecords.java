package io.millrace.queuenode.store;

import io.millrace.queuenode.store.DeliveryState.DeliveryStateCodec;
import io.millrace.queuenode.store.EventIndex.DeadLetterInfo;
import io.millrace.queuenode.store.SegmentTotals.TotalsCodec;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import io.millrace.queuenode.store.log.GroupBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes changes as records of the log, and applies records that are read. The type numbers are
 * part of the format. One thread.
 */
final class LogRecords {
  private static final int TERM = GroupBuffer.FREE_TYPES;
  private static final int QUEUE = TERM + 1;
  private static final int TOTALS = TERM + 2;
  private static final int BATCH = TERM + 3;
  private static final int OLD_BATCHES = TERM + 4;
  private static final int CHANGE = TERM + 5;
  private static final int DEAD_LETTER = TERM + 6;
  private static final int REMOVAL = TERM + 7;
  private static final int FORGOTTEN = TERM + 8;
  private static final int REMOVED_QUEUE = TERM + 9;

  private final EventIndex events;
  private final SegmentBook book;

  LogRecords(EventIndex events, SegmentBook book) {
    this.events = events;
    this.book = book;
  }

  static void term(GroupBuffer group, long term) {
    group.begin(TERM).number(term);
    group.end();
  }

  static void queue(GroupBuffer group, String name, int number, int version) {
    ByteWriter writer = group.begin(QUEUE);
    writer.text(name);
    writer.number(number);
    writer.number(version);
    group.end();
  }

  static void removedQueue(GroupBuffer group, String name, int number) {
    ByteWriter writer = group.begin(REMOVED_QUEUE);
    writer.text(name);
    writer.number(number);
    group.end();
  }

  static void totals(GroupBuffer group, int queue, SegmentTotals totals, SegmentTotals before) {
    ByteWriter writer = group.begin(TOTALS);
    writer.number(queue);
    TotalsCodec.write(writer, totals, before);
    group.end();
  }

  static void batch(GroupBuffer group, Rows.BatchName batch, int events) {
    ByteWriter writer = group.begin(BATCH);
    name(writer, batch);
    writer.number(events);
    group.end();
  }

  static void forgotten(GroupBuffer group, long throughBatch) {
    group.begin(FORGOTTEN).number(throughBatch);
    group.end();
  }

  static void change(GroupBuffer group, EventState expected, List<DeliveryState> deliveries) {
    deliveries(group.begin(CHANGE), expected, deliveries);
    group.end();
  }

  static void deadLetter(
      GroupBuffer group,
      EventState expected,
      List<DeliveryState> deliveries,
      DeadLetterInfo deadLetter) {
    ByteWriter writer = group.begin(DEAD_LETTER);
    writer.text(deadLetter.reason());
    writer.signed(deadLetter.diedAt());
    deliveries(writer, expected, deliveries);
    group.end();
  }

  static void removal(GroupBuffer group, EventState expected, List<DeliveryState> deliveries) {
    deliveries(group.begin(REMOVAL), expected, deliveries);
    group.end();
  }

  /** Applies a record. */
  void read(int type, ByteReader reader) {
    switch (type) {
      case TERM -> book.setTerm(reader.number());
      case QUEUE -> {
        String name = reader.text();
        int number = reader.smallNumber();
        // Earlier versions wrote no version.
        book.addQueue(name, number, reader.hasMore() ? reader.smallNumber() : 0);
      }
      case REMOVED_QUEUE -> {
        String name = reader.text();
        int number = reader.smallNumber();
        book.removeQueue(name, number);
        events.removeQueue(number);
      }
      case TOTALS -> {
        int queue = reader.smallNumber();
        book.setTotals(queue, TotalsCodec.read(reader, book.totals(queue)));
      }
      case BATCH -> {
        Rows.BatchName batch = name(reader);
        book.batches().add(batch, reader.smallNumber());
      }
      case OLD_BATCHES -> {
        // Written by earlier versions, by name: remembering these for longer is harmless.
      }
      case FORGOTTEN -> book.batches().forget(reader.number());
      case CHANGE -> change(reader, null);
      case DEAD_LETTER -> {
        String reason = reader.text();
        change(reader, new DeadLetterInfo(reason, reader.signed()));
      }
      case REMOVAL -> {
        EventState expected = EventState.of(reader.smallNumber());
        deliveries(reader).forEach(delivery -> events.remove(expected, delivery));
      }
      default ->
          throw new IllegalStateException("records of type " + type + " belong to a later version");
    }
  }

  private void change(ByteReader reader, DeadLetterInfo deadLetter) {
    EventState expected = EventState.of(reader.smallNumber());
    deliveries(reader).forEach(delivery -> events.change(expected, delivery, deadLetter));
  }

  static void name(ByteWriter writer, Rows.BatchName batch) {
    writer.number(batch.queue());
    writer.text(batch.name());
  }

  static Rows.BatchName name(ByteReader reader) {
    int queue = reader.smallNumber();
    return new Rows.BatchName(queue, reader.text());
  }

  private static void deliveries(
      ByteWriter writer, EventState expected, List<DeliveryState> deliveries) {
    writer.number(expected.code());
    DeliveryState before = DeliveryStateCodec.ZERO;
    for (DeliveryState delivery : deliveries) {
      DeliveryStateCodec.write(writer, delivery, before);
      before = delivery;
    }
  }

  private static List<DeliveryState> deliveries(ByteReader reader) {
    List<DeliveryState> deliveries = new ArrayList<>();
    DeliveryState before = DeliveryStateCodec.ZERO;
    while (reader.hasMore()) {
      before = DeliveryStateCodec.read(reader, before);
      deliveries.add(before);
    }
    return deliveries;
  }
}

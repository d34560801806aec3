package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionNumber;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;

/** A row of the log: what is too large for memory. The kinds are part of the format. */
sealed interface SessionRow {
  /** Writes the row, beginning with its kind. */
  void write(ByteWriter writer);

  /** Reads what {@link #write} wrote. */
  static SessionRow read(ByteReader reader) {
    int kind = reader.oneByte();
    return switch (kind) {
      case EventRow.KIND -> EventRow.read(reader, null);
      case EventRow.OPENING -> EventRow.read(reader, Opening.read(reader));
      case SnapshotRow.KIND -> new SnapshotRow(reader.bytes());
      case RememberedRow.KIND -> RememberedRow.read(reader, false);
      case RememberedRow.FORMER_KIND -> RememberedRow.read(reader, true);
      default ->
          throw new IllegalStateException("rows of kind " + kind + " belong to a later version");
    };
  }

  /**
   * The session that an event opens.
   *
   * @param number before its first assignment
   */
  record Opening(int queue, int slot, String key, SessionNumber number) {
    void write(ByteWriter writer) {
      writer.number(queue);
      writer.number(slot);
      writer.text(key);
      writeNumber(writer, number);
    }

    static Opening read(ByteReader reader) {
      int queue = reader.smallNumber();
      int slot = reader.smallNumber();
      String key = reader.text();
      return new Opening(queue, slot, key, readNumber(reader));
    }
  }

  /**
   * An event.
   *
   * @param serial of its session
   * @param opening null if its session was open
   * @param storedAt wall time in milliseconds
   */
  record EventRow(long serial, Opening opening, long storedAt, NewEvent event)
      implements SessionRow {
    private static final int KIND = 1;
    private static final int OPENING = 2;

    @Override
    public void write(ByteWriter writer) {
      writer.oneByte(opening == null ? KIND : OPENING);
      if (opening != null) {
        opening.write(writer);
      }
      writer.number(serial);
      writer.number(storedAt);
      writer.text(event.id());
      writer.text(event.attributes());
      writer.bytes(event.data());
    }

    private static EventRow read(ByteReader reader, Opening opening) {
      long serial = reader.number();
      long storedAt = reader.number();
      String id = reader.text();
      String attributes = reader.text();
      return new EventRow(serial, opening, storedAt, new NewEvent(id, reader.bytes(), attributes));
    }
  }

  /** The state of a worker after some events, as JSON text. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record SnapshotRow(byte[] json) implements SessionRow {
    private static final int KIND = 3;

    @Override
    public void write(ByteWriter writer) {
      writer.oneByte(KIND);
      writer.bytes(json);
    }
  }

  /**
   * A completed key.
   *
   * @param completedAt wall time in milliseconds
   * @param epoch of its slot then; that of its number may be an earlier one
   * @param acknowledged how many of the events a worker acknowledged
   * @param worker null for nobody
   * @param ids hashes of the ids of its last events
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record RememberedRow(
      int queue,
      int slot,
      String key,
      SessionNumber number,
      long completedAt,
      long epoch,
      long events,
      long acknowledged,
      String outcome,
      String worker,
      long[] ids)
      implements SessionRow {
    private static final int KIND = 5;
    // Without the epoch.
    private static final int FORMER_KIND = 4;

    /** Whether it says of a key what another one says. */
    boolean isSameEnd(RememberedRow other) {
      return number.equals(other.number) && completedAt == other.completedAt;
    }

    boolean knows(long id) {
      for (long known : ids) {
        if (known == id) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void write(ByteWriter writer) {
      writer.oneByte(KIND);
      writer.number(queue);
      writer.number(slot);
      writer.text(key);
      writeNumber(writer, number);
      writer.number(completedAt);
      writer.number(epoch);
      writer.number(events);
      writer.number(acknowledged);
      writer.text(outcome);
      writer.text(worker);
      writeHashes(writer, ids);
    }

    private static RememberedRow read(ByteReader reader, boolean former) {
      int queue = reader.smallNumber();
      int slot = reader.smallNumber();
      String key = reader.text();
      SessionNumber number = readNumber(reader);
      long completedAt = reader.number();
      long epoch = former ? number.epoch() : reader.number();
      long events = reader.number();
      long acknowledged = reader.number();
      String outcome = reader.text();
      String worker = reader.text();
      return new RememberedRow(
          queue,
          slot,
          key,
          number,
          completedAt,
          epoch,
          events,
          acknowledged,
          outcome,
          worker,
          readHashes(reader));
    }
  }

  static void writeNumber(ByteWriter writer, SessionNumber number) {
    writer.number(number.epoch());
    writer.number(number.handover());
  }

  static SessionNumber readNumber(ByteReader reader) {
    long epoch = reader.number();
    return new SessionNumber(epoch, reader.smallNumber());
  }

  static void writeHashes(ByteWriter writer, long[] hashes) {
    writer.number(hashes.length);
    for (long hash : hashes) {
      writer.fixedLong(hash);
    }
  }

  static long[] readHashes(ByteReader reader) {
    long[] hashes = new long[reader.smallNumber()];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = reader.fixedLong();
    }
    return hashes;
  }
}

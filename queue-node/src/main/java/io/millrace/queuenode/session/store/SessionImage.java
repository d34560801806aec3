package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionNumber;
import io.millrace.queuenode.session.store.Session.Rare;
import io.millrace.queuenode.session.store.SessionWorker.Employment;
import io.millrace.queuenode.session.store.SlotSessions.SlotImport;
import io.millrace.queuenode.store.UndoList;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import io.millrace.queuenode.store.log.EventLog.LiveEvents;
import io.millrace.queuenode.store.log.LiveSet;
import io.millrace.queuenode.store.log.LogReplay.LogImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * A copy of everything that a store of sessions has in memory, as bytes. Not changed; written once,
 * by which its memory is freed step by step, as the checkpoint holds it all.
 */
final class SessionImage implements LogImage {
  private static final int PIECE = 1 << 20;

  private final List<byte[]> pieces = new ArrayList<>();
  private final Roaring64Bitmap live;
  private ByteWriter writer = new ByteWriter();
  private long size;

  SessionImage(SessionBook book) {
    live = book.live().clone();
    writer.number(book.term());
    writer.number(book.lastSeq());
    writer.number(book.lastSerial());
    writer.number(book.lastNumber());
    write(writer, live);
    writer.number(book.queues().size());
    book.queues().forEach(this::queue);
    end();
    writer = null;
  }

  private void end() {
    pieces.add(writer.copy());
    size += writer.size();
    writer.clear();
  }

  private void queue(QueueSessions queue) {
    SessionAssignment assignment = queue.assignment();
    writer.number(queue.number());
    writer.number(queue.version());
    writer.text(queue.name());
    writer.number(queue.figures().length);
    for (long figure : queue.figures()) {
      writer.signed(figure);
    }
    write(writer, queue.remembered());
    writer.number(assignment.registrations());
    writer.number(assignment.nextTurn());
    List<SessionWorker> workers =
        assignment.workers().stream()
            .sorted(Comparator.comparingLong(SessionWorker::order))
            .toList();
    writer.number(workers.size());
    for (SessionWorker worker : workers) {
      writer.number(worker.order());
      SessionRecords.write(writer, worker.employment());
      writer.oneByte((worker.employed() ? 0 : 1) | (worker.leaving() ? 2 : 0));
      writer.number(worker.failuresOf());
    }
    queue.forEachSlot(this::slot);
    writer.number(0);
    for (SessionWorker worker : workers) {
      sessions(worker.sessions());
      sessions(worker.revoked());
    }
    sessions(assignment.unassigned());
    sessions(assignment.parked());
    sessions(assignment.ending());
    queue.forEachSlot(slot -> sessions(slot.held()));
    writer.number(0);
  }

  private void slot(SlotSessions slot) {
    writer.number(slot.number() + 1L);
    SessionRecords.write(writer, slot.ownership());
    writer.number(slot.handovers());
    SessionRecords.write(writer, slot.drained());
    writer.number(slot.remembered().size());
    slot.remembered()
        .forEach(
            (hash, seq) -> {
              writer.fixedLong(hash);
              writer.number(seq);
            });
    writer.number(slot.imports().size());
    slot.imports().forEach(this::arriving);
    if (writer.size() > PIECE) {
      end();
    }
  }

  private void arriving(String from, SlotImport arriving) {
    writer.text(from);
    writer.text(arriving.owner());
    writer.number(arriving.epoch());
    writer.number(arriving.parts());
    writer.oneByte(arriving.complete() ? 1 : 0);
    SessionRecords.write(writer, arriving.contained());
    writer.number(arriving.sessions().size());
    arriving.sessions().values().forEach(session -> write(writer, session));
  }

  private void sessions(SessionList list) {
    for (Session one = list.first(); one != null; one = list.after(one)) {
      writer.number(one.slot().number() + 1L);
      write(writer, one);
      writer.number(one.worker() == null ? 0 : one.worker().order());
      if (one.worker() != null) {
        writer.oneByte(one.movedAlone() ? 1 : 0);
        writer.number(one.start());
        writer.number(one.done() - one.start());
      }
      if (writer.size() > PIECE) {
        end();
      }
    }
  }

  /** Writes a session with its events, but not who has it. */
  static void write(ByteWriter writer, Session session) {
    writer.text(session.key());
    writer.number(session.serial());
    writer.number(session.openedAt());
    writer.signed(session.lastEventAt() - session.openedAt());
    SessionRow.writeNumber(writer, session.number());
    Rare rare = session.rare();
    boolean plain = rare.equals(Rare.NONE);
    writer.oneByte((session.assignedBefore() ? 1 : 0) | (plain ? 0 : 2));
    if (!plain) {
      writer.text(rare.parked());
      writer.number(rare.snapshotSeq());
      writer.number(rare.covered());
      writer.number(rare.failed());
      writer.number(rare.attempts());
      writer.number(SessionEnding.code(rare.ending()));
    }
    writer.number(session.acceptedBefore());
    writer.number(session.acknowledged());
    writer.number(session.bytes());
    SessionRow.writeHashes(writer, session.earlierHashes());
    writer.number(session.kept());
    long before = 0;
    for (int i = 0; i < session.kept(); i++) {
      writer.number(session.seq(i) - before);
      before = session.seq(i);
      writer.fixedLong(session.hash(i));
    }
  }

  /** Reads what {@link #write(ByteWriter, Session)} wrote. */
  static Session session(SlotSessions slot, ByteReader reader, UndoList undo) {
    String key = reader.text();
    long serial = reader.number();
    long openedAt = reader.number();
    long lastEventAt = openedAt + reader.signed();
    SessionNumber number = SessionRow.readNumber(reader);
    int flags = reader.oneByte();
    Rare rare = Rare.NONE;
    if ((flags & 2) != 0) {
      String parked = reader.text();
      long snapshotSeq = reader.number();
      long covered = reader.number();
      long failed = reader.number();
      int attempts = reader.smallNumber();
      SessionEnding ending = SessionEnding.of(reader.smallNumber());
      rare = new Rare(parked, snapshotSeq, covered, failed, attempts, ending);
    }
    Session session = new Session(slot, key, serial, openedAt, number);
    session.setAcceptedBefore(reader.number(), undo);
    long acknowledged = reader.number();
    session.restore(acknowledged, (flags & 1) != 0, rare);
    long bytes = reader.number();
    session.setEarlier(SessionRow.readHashes(reader));
    long seq = 0;
    for (long left = reader.number(); left > 0; left--) {
      seq += reader.number();
      session.accept(seq, reader.fixedLong(), 0, lastEventAt, undo);
    }
    session.restore(bytes, lastEventAt);
    session.trim();
    return session;
  }

  private static void write(ByteWriter writer, Roaring64Bitmap set) {
    ByteBuffer buffer = ByteBuffer.allocate(Math.toIntExact(set.serializedSizeInBytes()));
    try {
      set.serialize(buffer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    writer.bytes(buffer.array());
  }

  private static Roaring64Bitmap readSet(ByteReader reader) {
    Roaring64Bitmap set = new Roaring64Bitmap();
    try {
      set.deserialize(ByteBuffer.wrap(reader.bytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return set;
  }

  @Override
  public LiveEvents live() {
    return new LiveSet(live);
  }

  @Override
  public void write(ByteWriter to) {
    to.reserve(size);
    for (int i = 0; i < pieces.size(); i++) {
      byte[] piece = pieces.set(i, null);
      to.raw(piece, 0, piece.length);
    }
  }

  /** Loads what {@link #write(ByteWriter)} wrote into an empty store. */
  static void read(ByteReader reader, SessionBook book) {
    book.setTerm(reader.number());
    book.useSeq(reader.number());
    book.useSerial(reader.number());
    book.setLastNumber(reader.smallNumber());
    book.restoreLive(readSet(reader));
    for (long left = reader.number(); left > 0; left--) {
      readQueue(reader, book);
    }
  }

  private static void readQueue(ByteReader reader, SessionBook book) {
    int number = reader.smallNumber();
    int version = reader.smallNumber();
    QueueSessions queue = new QueueSessions(number, reader.text(), version, book.undo());
    book.add(queue);
    book.touch(queue);
    int figures = reader.smallNumber();
    for (int i = 0; i < figures; i++) {
      queue.figures()[i] = reader.signed();
    }
    queue.remembered().or(readSet(reader));
    SessionAssignment assignment = queue.assignment();
    long registrations = reader.number();
    long next = reader.number();
    for (long left = reader.number(); left > 0; left--) {
      long order = reader.number();
      Employment employment = SessionRecords.employment(reader);
      SessionWorker worker = assignment.register(employment, order, 0);
      int flags = reader.oneByte();
      worker.setFailuresOf(reader.number(), book.undo());
      if ((flags & 2) != 0) {
        assignment.askToLeave(worker, null);
      }
      if ((flags & 1) != 0) {
        assignment.retire(worker, 0);
      }
    }
    assignment.restore(registrations, next);
    for (int slot = reader.smallNumber(); slot > 0; slot = reader.smallNumber()) {
      readSlot(reader, queue.anySlot(slot - 1), book);
    }
    for (int slot = reader.smallNumber(); slot > 0; slot = reader.smallNumber()) {
      Session session = session(queue.anySlot(slot - 1), reader, book.undo());
      long order = reader.number();
      if (order > 0) {
        boolean revoked = reader.oneByte() == 1;
        long start = reader.number();
        session.restore(assignment.worker(order), revoked, start, start + reader.number());
        session.slot().addAssigned(1);
      }
      session.slot().sessions().put(session);
      assignment.restore(session);
      book.replayed(session);
      book.undo().forget();
    }
  }

  private static void readSlot(ByteReader reader, SlotSessions slot, SessionBook book) {
    slot.own(SessionRecords.ownership(reader));
    slot.setHandovers(reader.smallNumber());
    slot.setDrained(SessionRecords.texts(reader));
    for (long left = reader.number(); left > 0; left--) {
      long hash = reader.fixedLong();
      slot.remembered().add(hash, reader.number());
    }
    for (long left = reader.number(); left > 0; left--) {
      String from = reader.text();
      String owner = reader.text();
      SlotImport arriving = new SlotImport(owner, reader.number());
      slot.imports().put(from, arriving);
      int parts = reader.smallNumber();
      arriving.setParts(parts, reader.oneByte() == 1, book.undo());
      arriving.setContained(SessionRecords.texts(reader), book.undo());
      for (long sessions = reader.number(); sessions > 0; sessions--) {
        Session session = session(slot, reader, book.undo());
        arriving.sessions().put(session.key(), session);
        book.replayed(session);
      }
    }
    book.undo().forget();
  }
}

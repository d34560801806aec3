package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionNumber;
import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.SessionAssignment.End;
import io.millrace.queuenode.session.store.SessionWorker.Employment;
import io.millrace.queuenode.session.store.SlotSessions.Ownership;
import io.millrace.queuenode.session.store.SlotSessions.SlotImport;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.ByteWriter;
import io.millrace.queuenode.store.log.GroupBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Writes changes as records of the log. The type numbers are part of the format. One thread. */
final class SessionRecords {
  static final int TERM = GroupBuffer.FREE_TYPES;
  static final int QUEUE = TERM + 1;
  static final int REMOVED_QUEUE = TERM + 2;
  static final int SLOT = TERM + 3;
  static final int EMPTIED = TERM + 4;
  static final int WORKER = TERM + 5;
  static final int RETIRED = TERM + 6;
  static final int FORGOTTEN_WORKER = TERM + 7;
  static final int LEAVING = TERM + 8;
  static final int ASSIGNED = TERM + 9;
  static final int RETURNED = TERM + 10;
  static final int PROGRESS = TERM + 11;
  static final int COVERED = TERM + 12;
  static final int ATTEMPTS = TERM + 13;
  static final int PARKED = TERM + 14;
  static final int REMOVED = TERM + 15;
  static final int FORGOTTEN = TERM + 16;
  static final int FIGURES = TERM + 17;
  static final int IMPORTED = TERM + 18;
  static final int PART = TERM + 19;
  static final int MERGED = TERM + 20;
  static final int DRAINED = TERM + 21;
  static final int REVOKED = TERM + 22;
  static final int REPEATED = TERM + 23;
  static final int DISCARDED = TERM + 24;
  static final int FAILURES = TERM + 25;
  static final int ENDING = TERM + 26;
  static final int CAP = TERM + 27;
  static final int RENEWED = TERM + 28;

  private final GroupBuffer group;

  SessionRecords(GroupBuffer group) {
    this.group = group;
  }

  private ByteWriter begin(int type, long first) {
    ByteWriter writer = group.begin(type);
    writer.number(first);
    return writer;
  }

  private void two(int type, long first, long second) {
    begin(type, first).number(second);
    group.end();
  }

  void term(long term) {
    begin(TERM, term);
    group.end();
  }

  void queue(String name, int number, int version) {
    ByteWriter writer = begin(QUEUE, number);
    writer.number(version);
    writer.text(name);
    group.end();
  }

  void removedQueue(int number) {
    begin(REMOVED_QUEUE, number);
    group.end();
  }

  void slot(SlotSessions slot, Ownership ownership) {
    ByteWriter writer = begin(SLOT, slot.queue().number());
    writer.number(slot.number());
    write(writer, ownership);
    group.end();
  }

  void emptied(SlotSessions slot) {
    two(EMPTIED, slot.queue().number(), slot.number());
  }

  void worker(int queue, Employment employment, long order) {
    ByteWriter writer = begin(WORKER, queue);
    writer.number(order);
    write(writer, employment);
    group.end();
  }

  void retired(int queue, long order, End end) {
    ByteWriter writer = begin(RETIRED, queue);
    writer.number(order);
    writer.oneByte(end == End.LOST ? 0 : 1);
    group.end();
  }

  void forgottenWorker(int queue, UUID worker) {
    write(begin(FORGOTTEN_WORKER, queue), worker);
    group.end();
  }

  void leaving(int queue, long order) {
    two(LEAVING, queue, order);
  }

  void cap(int queue, long order, int cap) {
    ByteWriter writer = begin(CAP, queue);
    writer.number(order);
    writer.number(cap);
    group.end();
  }

  void failures(int queue, long order, long poll) {
    ByteWriter writer = begin(FAILURES, queue);
    writer.number(order);
    writer.number(poll);
    group.end();
  }

  void assigned(Session session, SessionWorker worker, boolean byTurn) {
    ByteWriter writer = begin(ASSIGNED, session.serial());
    writer.number(worker.order());
    writer.oneByte(byTurn ? 1 : 0);
    group.end();
  }

  void returned(Session session, boolean front) {
    two(RETURNED, session.serial(), front ? 1 : 0);
  }

  void revoked(Session session) {
    begin(REVOKED, session.serial());
    group.end();
  }

  void progress(Session session, long through) {
    two(PROGRESS, session.serial(), through);
  }

  void covered(Session session, long through, long snapshotSeq) {
    ByteWriter writer = begin(COVERED, session.serial());
    writer.number(through);
    writer.number(snapshotSeq);
    group.end();
  }

  void attempts(Session session, long event, int failures) {
    ByteWriter writer = begin(ATTEMPTS, session.serial());
    writer.number(event);
    writer.number(failures);
    group.end();
  }

  void parked(Session session, String reason) {
    begin(PARKED, session.serial()).text(reason);
    group.end();
  }

  void ending(Session session, SessionEnding ending) {
    two(ENDING, session.serial(), SessionEnding.code(ending));
  }

  void removed(Session session, boolean completed) {
    two(REMOVED, session.serial(), completed ? 1 : 0);
  }

  void forgotten(SlotSessions slot, long hash, long seq, SessionNumber number) {
    ByteWriter writer = begin(FORGOTTEN, slot.queue().number());
    writer.number(slot.number());
    writer.fixedLong(hash);
    writer.number(seq);
    SessionRow.writeNumber(writer, number);
    group.end();
  }

  void figures(QueueSessions queue) {
    long[] now = queue.figures();
    long[] before = queue.committedFigures();
    boolean changed = false;
    for (int i = 0; i < Figure.WRITTEN; i++) {
      changed |= now[i] != before[i];
    }
    if (changed) {
      ByteWriter writer = begin(FIGURES, queue.number());
      for (int i = 0; i < Figure.WRITTEN; i++) {
        writer.signed(now[i] - before[i]);
      }
      group.end();
    }
  }

  void imported(Session session, String from, long epoch) {
    ByteWriter writer = begin(IMPORTED, session.queue().number());
    writer.number(session.slot().number());
    writer.text(from);
    writer.number(epoch);
    SessionImage.write(writer, session);
    group.end();
  }

  void part(SlotSessions slot, String from, SlotImport arriving) {
    ByteWriter writer = begin(PART, slot.queue().number());
    writer.number(slot.number());
    writer.text(from);
    writer.number(arriving.epoch());
    writer.number(arriving.parts());
    writer.oneByte(arriving.complete() ? 1 : 0);
    write(writer, arriving.contained());
    group.end();
  }

  void discarded(SlotSessions slot, String from) {
    ByteWriter writer = begin(DISCARDED, slot.queue().number());
    writer.number(slot.number());
    writer.text(from);
    group.end();
  }

  void merged(Session arrived, String from, boolean late, long after) {
    ByteWriter writer = begin(MERGED, arrived.serial());
    writer.text(from);
    writer.oneByte(late ? 1 : 0);
    writer.number(after);
    group.end();
  }

  void repeated(Session session, boolean[] gone) {
    ByteWriter writer = begin(REPEATED, session.serial());
    writer.number(gone.length);
    for (boolean one : gone) {
      writer.oneByte(one ? 1 : 0);
    }
    group.end();
  }

  void renewed(Session session) {
    begin(RENEWED, session.serial());
    group.end();
  }

  void drained(SlotSessions slot, String from, long epoch) {
    ByteWriter writer = begin(DRAINED, slot.queue().number());
    writer.number(slot.number());
    writer.text(from);
    writer.number(epoch);
    group.end();
  }

  static void write(ByteWriter writer, UUID id) {
    writer.fixedLong(id.getMostSignificantBits());
    writer.fixedLong(id.getLeastSignificantBits());
  }

  static UUID uuid(ByteReader reader) {
    long high = reader.fixedLong();
    return new UUID(high, reader.fixedLong());
  }

  static void write(ByteWriter writer, Employment employment) {
    write(writer, employment.id());
    write(writer, employment.incarnation());
    writer.number(employment.cap());
    writer.text(employment.name());
    writer.text(employment.job());
  }

  static Employment employment(ByteReader reader) {
    UUID id = uuid(reader);
    UUID incarnation = uuid(reader);
    int cap = reader.smallNumber();
    String name = reader.text();
    return new Employment(id, incarnation, cap, name, reader.text());
  }

  static void write(ByteWriter writer, Ownership ownership) {
    writer.number(ownership.epoch());
    writer.oneByte(
        (ownership.sealed() ? 1 : 0)
            | (ownership.holding() ? 2 : 0)
            | (ownership.waiting() ? 4 : 0));
    write(writer, ownership.undrained());
  }

  static Ownership ownership(ByteReader reader) {
    long epoch = reader.number();
    int flags = reader.oneByte();
    return new Ownership(
        epoch, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, texts(reader));
  }

  static void write(ByteWriter writer, List<String> texts) {
    writer.number(texts.size());
    texts.forEach(writer::text);
  }

  static List<String> texts(ByteReader reader) {
    List<String> texts = new ArrayList<>();
    for (long left = reader.number(); left > 0; left--) {
      texts.add(reader.text());
    }
    return texts;
  }
}

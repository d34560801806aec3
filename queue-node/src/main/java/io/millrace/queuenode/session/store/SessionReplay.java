package io.millrace.queuenode.session.store;

import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.SessionAssignment.End;
import io.millrace.queuenode.session.store.SessionRow.EventRow;
import io.millrace.queuenode.session.store.SessionRow.Opening;
import io.millrace.queuenode.session.store.SessionRow.RememberedRow;
import io.millrace.queuenode.store.log.ByteReader;
import io.millrace.queuenode.store.log.EventLog.LiveEvents;
import io.millrace.queuenode.store.log.LiveSet;
import io.millrace.queuenode.store.log.LogReplay;

/** Rebuilds the state of a store of sessions from its log. One thread. */
final class SessionReplay implements LogReplay {
  private final SessionBook book;
  private final SessionChanges changes;
  private final SlotChanges slots;

  SessionReplay(SessionChanges changes, SlotChanges slots) {
    this.book = changes.book();
    this.changes = changes;
    this.slots = slots;
  }

  @Override
  public void image(ByteReader content) {
    SessionImage.read(content, book);
    book.commit();
  }

  @Override
  public void event(long seq, ByteReader common, ByteReader content) {
    book.addLive(seq);
    SessionRow row = SessionRow.read(content);
    if (row instanceof EventRow event) {
      event(seq, event);
    } else if (row instanceof RememberedRow remembered) {
      changes.remembered(remembered, seq);
    }
  }

  private void event(long seq, EventRow row) {
    Opening opening = row.opening();
    Session session;
    if (opening == null) {
      session = book.session(row.serial());
    } else {
      SlotSessions slot = slot(opening.queue(), opening.slot());
      session = new Session(slot, opening.key(), row.serial(), row.storedAt(), opening.number());
      changes.opened(slot, session);
      book.replayed(session);
    }
    changes.accepted(session, seq, row.event(), row.storedAt());
  }

  private SlotSessions slot(int queue, int slot) {
    return book.queue(queue).anySlot(slot);
  }

  private SlotSessions slot(ByteReader reader) {
    int queue = reader.smallNumber();
    return slot(queue, reader.smallNumber());
  }

  private Session session(ByteReader reader) {
    return book.session(reader.number());
  }

  @Override
  public void record(int type, ByteReader reader) {
    switch (type) {
      case SessionRecords.TERM -> changes.setTerm(reader.number());
      case SessionRecords.QUEUE -> {
        int number = reader.smallNumber();
        int version = reader.smallNumber();
        changes.addQueue(reader.text(), number, version);
      }
      case SessionRecords.REMOVED_QUEUE -> changes.removeQueue(book.queue(reader.smallNumber()));
      case SessionRecords.FIGURES -> {
        QueueSessions queue = book.queue(reader.smallNumber());
        for (int i = 0; reader.hasMore(); i++) {
          changes.count(queue, Figure.at(i), reader.signed());
        }
      }
      case SessionRecords.WORKER,
          SessionRecords.RETIRED,
          SessionRecords.FORGOTTEN_WORKER,
          SessionRecords.FAILURES,
          SessionRecords.CAP,
          SessionRecords.LEAVING ->
          worker(type, book.queue(reader.smallNumber()), reader);
      case SessionRecords.SLOT,
          SessionRecords.EMPTIED,
          SessionRecords.FORGOTTEN,
          SessionRecords.IMPORTED,
          SessionRecords.PART,
          SessionRecords.DISCARDED,
          SessionRecords.DRAINED ->
          slot(type, slot(reader), reader);
      default -> session(type, session(reader), reader);
    }
  }

  private void worker(int type, QueueSessions queue, ByteReader reader) {
    switch (type) {
      case SessionRecords.WORKER -> {
        long order = reader.number();
        changes.register(queue, SessionRecords.employment(reader), order, 0);
      }
      case SessionRecords.RETIRED -> {
        SessionWorker worker = queue.assignment().worker(reader.number());
        changes.retire(queue, worker, reader.oneByte() == 0 ? End.LOST : End.LEFT, null, 0);
      }
      case SessionRecords.FAILURES -> {
        SessionWorker worker = queue.assignment().worker(reader.number());
        changes.noteFailures(queue, worker, reader.number());
      }
      case SessionRecords.CAP -> {
        SessionWorker worker = queue.assignment().worker(reader.number());
        changes.setCap(queue, worker, reader.smallNumber());
      }
      case SessionRecords.LEAVING ->
          changes.askToLeave(queue, queue.assignment().worker(reader.number()), null);
      default -> changes.forget(queue, queue.assignment().worker(SessionRecords.uuid(reader)));
    }
  }

  private void slot(int type, SlotSessions slot, ByteReader reader) {
    switch (type) {
      case SessionRecords.SLOT -> slots.own(slot, SessionRecords.ownership(reader));
      case SessionRecords.EMPTIED -> slots.empty(slot);
      case SessionRecords.FORGOTTEN -> {
        long hash = reader.fixedLong();
        long seq = reader.number();
        changes.forget(slot, hash, seq, SessionRow.readNumber(reader));
      }
      case SessionRecords.IMPORTED -> {
        String from = reader.text();
        long epoch = reader.number();
        Session session = SessionImage.session(slot, reader, book.undo());
        book.replayed(session);
        slots.arrived(session, from, epoch);
      }
      case SessionRecords.PART -> {
        String from = reader.text();
        long epoch = reader.number();
        int parts = reader.smallNumber();
        boolean complete = reader.oneByte() == 1;
        slots.part(slot, from, epoch, parts, complete, SessionRecords.texts(reader));
      }
      case SessionRecords.DISCARDED -> slots.discard(slot, reader.text());
      default -> {
        String from = reader.text();
        slots.drained(slot, from, reader.number());
      }
    }
  }

  private void session(int type, Session session, ByteReader reader) {
    switch (type) {
      case SessionRecords.ASSIGNED -> {
        SessionWorker worker = session.queue().assignment().worker(reader.number());
        changes.assign(session, worker, reader.oneByte() == 1);
      }
      case SessionRecords.RETURNED -> changes.takeBack(session, reader.number() == 1, null);
      case SessionRecords.REVOKED -> changes.revoke(session, Session.ASKED_BACK);
      case SessionRecords.PROGRESS -> changes.progress(session, reader.number());
      case SessionRecords.COVERED -> {
        long through = reader.number();
        changes.covered(session, through, reader.number());
      }
      case SessionRecords.ATTEMPTS -> {
        long event = reader.number();
        changes.setAttempts(session, event, reader.smallNumber());
      }
      case SessionRecords.PARKED -> changes.park(session, reader.text());
      case SessionRecords.ENDING ->
          changes.setEnding(session, SessionEnding.of(reader.smallNumber()));
      case SessionRecords.REMOVED -> changes.remove(session, reader.number() == 1);
      case SessionRecords.REPEATED -> {
        boolean[] gone = new boolean[reader.smallNumber()];
        for (int i = 0; i < gone.length; i++) {
          gone[i] = reader.oneByte() == 1;
        }
        slots.removeRepeated(session, gone);
      }
      case SessionRecords.RENEWED -> slots.renew(session);
      case SessionRecords.MERGED -> {
        String from = reader.text();
        boolean late = reader.oneByte() == 1;
        slots.merge(session, from, late, reader.number());
      }
      default ->
          throw new IllegalStateException("records of type " + type + " belong to a later version");
    }
  }

  @Override
  public void groupEnded() {
    book.commit();
  }

  @Override
  public long lastSeq() {
    return book.lastSeq();
  }

  @Override
  public LiveEvents live() {
    return new LiveSet(book.live());
  }
}

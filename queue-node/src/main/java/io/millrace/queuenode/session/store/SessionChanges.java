package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionNumber;
import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.SessionAssignment.End;
import io.millrace.queuenode.session.store.SessionList.Kind;
import io.millrace.queuenode.session.store.SessionRow.EventRow;
import io.millrace.queuenode.session.store.SessionRow.Opening;
import io.millrace.queuenode.session.store.SessionRow.RememberedRow;
import io.millrace.queuenode.session.store.SessionWorker.Employment;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.UndoList;

/**
 * The changes that a store of sessions consists of. Each is made in memory and, unless the log is
 * being replayed, written to it; nothing is decided here. One thread; changes can be undone.
 */
final class SessionChanges {
  private final SessionBook book;
  private final UndoList undo;
  private final Clock clock;
  private final SessionHistory history = new SessionHistory();
  // Null while the log is replayed.
  private SessionRecords records;
  private SessionRows rows;

  SessionChanges(SessionBook book, Clock clock) {
    this.book = book;
    this.clock = clock;
    this.undo = book.undo();
  }

  /** From now on changes are written. */
  void writeTo(SessionRecords to, SessionRows with) {
    records = to;
    rows = with;
  }

  SessionBook book() {
    return book;
  }

  SessionHistory history() {
    return history;
  }

  /** Wall time in milliseconds. */
  long now() {
    return clock.now().toEpochMilli();
  }

  /** Nanoseconds of a clock that never goes back. */
  long nanos() {
    return clock.nanoTime();
  }

  private boolean written() {
    return records != null;
  }

  void setTerm(long term) {
    book.setTerm(term);
    if (written()) {
      records.term(term);
    }
  }

  QueueSessions addQueue(String name, int number, int version) {
    QueueSessions queue = new QueueSessions(number, name, version, undo);
    book.add(queue);
    if (written()) {
      records.queue(name, number, version);
    }
    return queue;
  }

  /** Removes a queue of which nothing else is stored. */
  void removeQueue(QueueSessions queue) {
    book.remove(queue);
    if (written()) {
      records.removedQueue(queue.number());
    }
  }

  /** Adds or subtracts what a session counts for, around each change of it. */
  void count(Session session, int sign) {
    QueueSessions queue = session.queue();
    book.touch(queue);
    boolean assigned = session.worker() != null;
    queue.add(Figure.SESSIONS, sign);
    queue.add(Figure.BYTES, sign * session.bytes());
    queue.add(assigned ? Figure.LEASED : Figure.WAITING, sign * session.unacknowledged());
    queue.add(Figure.ASSIGNED, assigned ? sign : 0);
    queue.add(Figure.PARKED, session.parked() != null && !assigned ? sign : 0);
  }

  void count(QueueSessions queue, Figure figure, long more) {
    book.touch(queue);
    queue.add(figure, more);
  }

  /** Opens a session with its first event. */
  Session open(SlotSessions slot, String key, SessionNumber number, NewEvent event, long at) {
    long serial = book.nextSerial();
    Opening opening = new Opening(slot.queue().number(), slot.number(), key, number);
    long seq = rows.append(new EventRow(serial, opening, at, event));
    Session session = opened(slot, new Session(slot, key, serial, at, number));
    accepted(session, seq, event, at);
    return session;
  }

  Session opened(SlotSessions slot, Session session) {
    slot.sessions().put(session);
    slot.queue().assignment().add(session);
    count(session, 1);
    count(slot.queue(), Figure.OPENED, 1);
    return session;
  }

  /** Accepts a further event of a session. */
  void accept(Session session, NewEvent event, long at) {
    accepted(session, rows.append(new EventRow(session.serial(), null, at, event)), event, at);
  }

  void accepted(Session session, long seq, NewEvent event, long at) {
    if (session.list(Kind.PLACE) == null) {
      // It has arrived from another node, and is not open here yet.
      session.accept(seq, IdHash.of(event.id()), event.bytes(), at, undo);
      return;
    }
    count(session, -1);
    session.accept(seq, IdHash.of(event.id()), event.bytes(), at, undo);
    count(session, 1);
    count(session.queue(), Figure.INSERTED, 1);
    count(session.queue(), Figure.INSERTED_BYTES, event.bytes());
    noteDelivery(session);
  }

  SessionWorker register(QueueSessions queue, Employment employment, long order, long now) {
    SessionWorker worker = queue.assignment().register(employment, order, now);
    book.touch(queue);
    if (written()) {
      records.worker(queue.number(), employment, order);
    }
    return worker;
  }

  /** Lets a worker take more or fewer sessions; those that it has stay. */
  void setCap(QueueSessions queue, SessionWorker worker, int cap) {
    queue.assignment().setCap(worker, cap);
    if (written()) {
      records.cap(queue.number(), worker.order(), cap);
    }
  }

  /**
   * Ends a worker's employment; its sessions wait, first or last, in their order (M-03, M-12).
   *
   * @param why human-readable, for the sessions' histories
   */
  void retire(QueueSessions queue, SessionWorker worker, End end, String why, long now) {
    for (SessionList list : new SessionList[] {worker.revoked(), worker.sessions()}) {
      // From the last one to the front, or from the first one to the back: their order stays.
      while (list.size() > 0) {
        takenBack(end == End.LOST ? list.last() : list.first(), end == End.LOST, why);
      }
    }
    queue.assignment().retire(worker, now);
    if (written()) {
      records.retired(queue.number(), worker.order(), end);
    }
  }

  void forget(QueueSessions queue, SessionWorker worker) {
    queue.assignment().forget(worker);
    book.touch(queue);
    if (written()) {
      records.forgottenWorker(queue.number(), worker.id());
    }
  }

  void askToLeave(QueueSessions queue, SessionWorker worker, String by) {
    queue.assignment().askToLeave(worker, by);
    if (written()) {
      records.leaving(queue.number(), worker.order());
    }
  }

  /** Notes that a worker's poll reports failures, so that its repetition does not count them. */
  void noteFailures(QueueSessions queue, SessionWorker worker, long poll) {
    worker.setFailuresOf(poll, undo);
    if (written()) {
      records.failures(queue.number(), worker.order(), poll);
    }
  }

  /** Gives a session without a worker to one (M-08, M-09). */
  void assign(Session session, SessionWorker worker, boolean byTurn) {
    count(session, -1);
    boolean handover = session.assignedBefore();
    if (handover) {
      count(session.queue(), Figure.HANDOVERS, 1);
    }
    session.queue().assignment().give(session, worker, byTurn);
    count(session, 1);
    if (written()) {
      records.assigned(session, worker, byTurn);
      if (handover) {
        history.note(session, now(), "ASSIGNED", worker, null);
      } else {
        history.noteFirst(session, now(), worker);
      }
    }
    noteDelivery(session);
  }

  /**
   * Takes a session from its worker.
   *
   * @param why human-readable, for its history
   */
  void takeBack(Session session, boolean front, String why) {
    takenBack(session, front, why);
    if (written()) {
      records.returned(session, front);
    }
  }

  /**
   * Has a session's worker give it back.
   *
   * @param why human-readable, for its history when it has; until the store is closed
   */
  void revoke(Session session, String why) {
    session.revoke(why, undo);
    session.queue().assignment().settle(session);
    if (written()) {
      records.revoked(session);
    }
    noteDelivery(session);
  }

  private void takenBack(Session session, boolean front, String why) {
    if (written()) {
      history.note(session, now(), "RETURNED", session.worker(), why);
    }
    count(session, -1);
    session.queue().assignment().takeBack(session, front);
    count(session, 1);
    count(session.queue(), Figure.RETURNED, 1);
  }

  /** Notes that a session's worker is done with its events up to one. */
  void progress(Session session, long through) {
    if (through <= session.done()) {
      return;
    }
    count(session, -1);
    long before = session.unacknowledged();
    session.progress(through, undo);
    count(session.queue(), Figure.ACKNOWLEDGED, before - session.unacknowledged());
    count(session, 1);
    if (written()) {
      records.progress(session, through);
    }
    noteDelivery(session);
  }

  /** Keeps a snapshot instead of the events that it covers. */
  void cover(Session session, long through, byte[] json) {
    covered(session, through, rows.append(new SessionRow.SnapshotRow(json)));
  }

  void covered(Session session, long through, long snapshotSeq) {
    count(session, -1);
    if (session.rare().snapshotSeq() != 0) {
      book.free(session.rare().snapshotSeq());
    }
    book.free(session.seqs(0, (int) (through - session.covered())));
    session.cover(through, snapshotSeq, undo);
    count(session, 1);
    if (written()) {
      records.covered(session, through, snapshotSeq);
    }
  }

  /** Notes how often an event of a session has failed; 0 of none. */
  void setAttempts(Session session, long event, int failures) {
    session.setAttempts(event, failures, undo);
    if (written()) {
      records.attempts(session, event, failures);
    }
  }

  /** Has a session end when its worker has given it back; null to keep it open. */
  void setEnding(Session session, SessionEnding ending) {
    session.setEnding(ending, undo);
    session.queue().assignment().settle(session);
    if (written()) {
      records.ending(session, ending);
    }
  }

  /** Parks a session, or lets it go on; null for no reason. */
  void park(Session session, String reason) {
    count(session, -1);
    session.park(reason, undo);
    session.queue().assignment().settle(session);
    count(session, 1);
    if (written()) {
      records.parked(session, reason);
    }
  }

  /** Removes a session with its events. */
  void remove(Session session, boolean completed) {
    QueueSessions queue = session.queue();
    SlotSessions slot = session.slot();
    count(session, -1);
    queue.assignment().remove(session);
    slot.sessions().remove(session);
    freeRows(session);
    count(queue, Figure.COMPLETED, completed ? 1 : 0);
    count(queue, Figure.DROPPED, session.unacknowledged());
    // Whatever becomes of its key, what is opened later goes on above its number.
    if (session.number().epoch() == slot.epoch()) {
      slot.raiseHandovers(session.number().handover());
    }
    if (written()) {
      records.removed(session, completed);
    }
    book.forgetReplayed(session);
  }

  /** The events and the snapshot of a session are no longer needed. */
  void freeRows(Session session) {
    book.free(session.seqs(0, session.kept()));
    if (session.rare().snapshotSeq() != 0) {
      book.free(session.rare().snapshotSeq());
    }
  }

  /** Remembers a completed key (M-11). */
  void remember(RememberedRow row) {
    remembered(row, rows.append(row));
  }

  void remembered(RememberedRow row, long seq) {
    QueueSessions queue = book.queue(row.queue());
    SlotSessions slot = queue.anySlot(row.slot());
    slot.remembered().add(IdHash.of(row.key()), seq);
    if (!slot.sealed()) {
      forgettable(queue, seq, true);
    }
    count(queue, Figure.REMEMBERED, 1);
  }

  /** Forgets a completed key, of the last number that it had. */
  void forget(SlotSessions slot, long hash, long seq, SessionNumber number) {
    QueueSessions queue = slot.queue();
    // Also one that is nowhere, or it would be the oldest for ever.
    forgettable(queue, seq, false);
    if (slot.remembered().remove(hash, seq)) {
      count(queue, Figure.REMEMBERED, -1);
      book.free(seq);
    }
    if (written()) {
      records.forgotten(slot, hash, seq, number);
    }
  }

  /** Changes whether a remembered key may be forgotten, as those of sealed slots may not. */
  void forgettable(QueueSessions queue, long seq, boolean changed) {
    if (queue.remembered().contains(seq) == changed) {
      return;
    }
    if (changed) {
      queue.remembered().addLong(seq);
      undo.add(() -> queue.remembered().removeLong(seq));
    } else {
      queue.remembered().removeLong(seq);
      undo.add(() -> queue.remembered().addLong(seq));
    }
  }

  void deliver(Session session, long through, long now) {
    boolean first = session.delivered() == session.done();
    session.deliver(through, first ? now : session.deliveredAt(), undo);
    noteDelivery(session);
  }

  /** Delivers events of a session after one again, before those of other sessions. */
  void rewind(Session session, long after) {
    session.deliver(Math.max(after, session.done()), session.deliveredAt(), undo);
    if (after == session.start()) {
      session.introduceAgain(undo);
    }
    SessionList ready = session.worker().ready();
    if (ready.contains(session)) {
      ready.remove(session);
    }
    if (session.queue().hasDelivery(session)) {
      ready.addFirst(session);
    }
    noteDelivery(session);
  }

  /** Tells a worker again that it has a session of which nothing is delivered. */
  void introduceAgain(Session session) {
    session.introduceAgain(undo);
    noteDelivery(session);
  }

  /** Keeps the lists of a worker that depend on what is delivered of a session. */
  void noteDelivery(Session session) {
    SessionWorker worker = session.worker();
    if (!written() || worker == null) {
      return;
    }
    boolean ready = session.queue().hasDelivery(session);
    if (ready != worker.ready().contains(session)) {
      if (ready) {
        worker.ready().addLast(session);
      } else {
        worker.ready().remove(session);
      }
    }
    boolean outstanding = session.delivered() > session.done();
    if (outstanding != worker.delivered().contains(session)) {
      if (outstanding) {
        worker.delivered().addLast(session);
      } else {
        worker.delivered().remove(session);
      }
    }
  }

  /** Notes that a worker has made progress with a session of which more is delivered to it. */
  void noteProgress(Session session, long now) {
    SessionList list = session.list(Kind.DELIVERED);
    if (list != null) {
      list.remove(session);
      session.deliver(session.delivered(), now, undo);
      list.addLast(session);
    }
  }
}

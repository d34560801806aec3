package io.millrace.queuenode.session.store;

import io.millrace.queuenode.store.UndoList;

/**
 * Sessions in order, each its own entry, so that adding and removing take the same time whatever
 * their number, and no memory. A session is in at most one list of each kind. One thread; changes
 * can be undone.
 */
final class SessionList {
  /** What a list is for. */
  enum Kind {
    /** Where a session is: with a worker, or among those without one. */
    PLACE,
    /** Sessions of a worker that have something to deliver. */
    READY,
    /** Sessions of a worker with unacknowledged deliveries, the longest unacknowledged first. */
    DELIVERED
  }

  private final Kind kind;
  private final UndoList undo;
  private Session first;
  private Session last;
  private int size;

  SessionList(Kind kind, UndoList undo) {
    this.kind = kind;
    this.undo = undo;
  }

  int size() {
    return size;
  }

  /** The first session; null if there is none. */
  Session first() {
    return first;
  }

  /** The last session; null if there is none. */
  Session last() {
    return last;
  }

  /** The session after one of this list; null after the last one. */
  Session after(Session session) {
    return session.after(kind);
  }

  boolean contains(Session session) {
    return session.list(kind) == this;
  }

  void addFirst(Session session) {
    insert(session, null, first);
    undo.add(() -> unlink(session));
  }

  void addLast(Session session) {
    insert(session, last, null);
    undo.add(() -> unlink(session));
  }

  void remove(Session session) {
    if (session.list(kind) != this) {
      throw new IllegalStateException("session " + session.key() + " is in another list");
    }
    Session before = session.before(kind);
    Session after = session.after(kind);
    unlink(session);
    undo.add(() -> insert(session, before, after));
  }

  private void insert(Session session, Session before, Session after) {
    if (session.list(kind) != null) {
      throw new IllegalStateException("session " + session.key() + " is in a list already");
    }
    session.link(kind, this, before, after);
    if (before == null) {
      first = session;
    } else {
      before.link(kind, this, before.before(kind), session);
    }
    if (after == null) {
      last = session;
    } else {
      after.link(kind, this, session, after.after(kind));
    }
    size++;
  }

  private void unlink(Session session) {
    Session before = session.before(kind);
    Session after = session.after(kind);
    if (before == null) {
      first = after;
    } else {
      before.link(kind, this, before.before(kind), after);
    }
    if (after == null) {
      last = before;
    } else {
      after.link(kind, this, before, after.after(kind));
    }
    session.link(kind, null, null, null);
    size--;
  }
}

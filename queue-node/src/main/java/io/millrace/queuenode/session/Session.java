package io.millrace.queuenode.session;

import io.millrace.api.Pure;
import io.millrace.api.session.SessionNumber;

/**
 * The events of one key from the first one to the completion. A million of them are open at a time,
 * so that a session is its own entry in the list it is in. Changed by {@link SessionAssignment}
 * only; one thread.
 */
@Pure
final class Session {
  private final String key;
  private final long epoch;
  private int handover;
  private long accepted;
  private long acknowledged;
  private SessionWorker worker;
  // Where it is: the sessions of its worker, or those without one.
  private SessionList list;
  private Session before;
  private Session after;

  Session(String key, long epoch) {
    this.key = key;
    this.epoch = epoch;
  }

  String key() {
    return key;
  }

  SessionNumber number() {
    return new SessionNumber(epoch, handover);
  }

  /** The worker that has it; null for none. */
  SessionWorker worker() {
    return worker;
  }

  /** How many events it has had, which is the number of the last one. */
  long accepted() {
    return accepted;
  }

  /** The number of the last event that is acknowledged with all before it; 0 for none. */
  long acknowledged() {
    return acknowledged;
  }

  long accept() {
    return ++accepted;
  }

  void acknowledge(long last) {
    acknowledged = last;
  }

  void assign(SessionWorker to) {
    worker = to;
    handover++;
  }

  void takeBack() {
    worker = null;
  }

  /** Sessions in order. Adding and removing take the same time whatever their number. */
  static final class SessionList {
    private Session first;
    private Session last;
    private int size;

    int size() {
      return size;
    }

    /** The first session; null if there is none. */
    Session first() {
      return first;
    }

    /** The session after one of this list; null after the last one. */
    static Session after(Session session) {
      return session.after;
    }

    void addFirst(Session session) {
      insert(session, null, first);
    }

    void addLast(Session session) {
      insert(session, last, null);
    }

    private void insert(Session session, Session before, Session after) {
      if (session.list != null) {
        throw new IllegalStateException("session " + session.key + " is in a list already");
      }
      session.list = this;
      session.before = before;
      session.after = after;
      if (before == null) {
        first = session;
      } else {
        before.after = session;
      }
      if (after == null) {
        last = session;
      } else {
        after.before = session;
      }
      size++;
    }

    void remove(Session session) {
      if (session.list != this) {
        throw new IllegalStateException("session " + session.key + " is in another list");
      }
      if (session.before == null) {
        first = session.after;
      } else {
        session.before.after = session.after;
      }
      if (session.after == null) {
        last = session.before;
      } else {
        session.after.before = session.before;
      }
      session.list = null;
      session.before = null;
      session.after = null;
      size--;
    }

    /** The last session; null if there is none. */
    Session last() {
      return last;
    }
  }
}

package io.millrace.queuenode.session;

import io.millrace.api.Pure;
import io.millrace.queuenode.session.Session.SessionList;
import java.util.UUID;

/**
 * A worker that sessions are assigned to (M-05..M-07, M-12, M-16). Changed by {@link
 * SessionAssignment} only; one thread.
 */
@Pure
final class SessionWorker {
  /** What a worker is. */
  enum State {
    /** Registered, and not heard of since: it gets no session before its first heartbeat. */
    REGISTERED,
    /** Heard of in time. */
    AVAILABLE,
    /** Missed a heartbeat: it keeps its sessions and gets no further ones. */
    ABSENT,
    /** Lost or left: it has no sessions, and is forgotten after a while. */
    RETIRED
  }

  private final UUID id;
  private final long order;
  private final SessionList sessions = new SessionList();
  private UUID incarnation;
  private int cap;
  private State state;
  private long since;

  /** One that has just registered. */
  SessionWorker(UUID id, long order, UUID incarnation, int cap, long now) {
    this.id = id;
    this.order = order;
    this.incarnation = incarnation;
    this.cap = cap;
    this.state = State.REGISTERED;
    this.since = now;
  }

  UUID id() {
    return id;
  }

  /** Of its registration among those of other workers. */
  long order() {
    return order;
  }

  /** Of the process that registered last. */
  UUID incarnation() {
    return incarnation;
  }

  State state() {
    return state;
  }

  SessionList sessions() {
    return sessions;
  }

  /** How many sessions it takes at most. */
  int cap() {
    return cap;
  }

  boolean hasRoom() {
    return state == State.AVAILABLE && sessions.size() < cap;
  }

  /** How many heartbeats it has missed since it was last heard of. */
  long missed(long now, long heartbeat) {
    return Math.max(0, now - since) / heartbeat;
  }

  /** How long ago it was last heard of, or retired; nanoseconds. */
  long silence(long now) {
    return now - since;
  }

  void heard(long now) {
    state = State.AVAILABLE;
    since = now;
  }

  void absent() {
    state = State.ABSENT;
  }

  void retire(long now) {
    state = State.RETIRED;
    since = now;
  }
}

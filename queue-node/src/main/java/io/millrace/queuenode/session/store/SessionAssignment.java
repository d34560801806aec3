package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionWorkerState;
import io.millrace.queuenode.session.store.SessionList.Kind;
import io.millrace.queuenode.session.store.SessionWorker.Employment;
import io.millrace.queuenode.store.UndoList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Who has which session of one queue: a new key goes to the next worker with room, round robin, its
 * later events to the same worker (M-02, M-08..M-10). Each change takes a time that does not depend
 * on how many sessions there are, apart from returning all sessions of a worker. Times are
 * nanoseconds of a clock that never goes back. One thread; changes can be undone.
 */
final class SessionAssignment {
  /** How a worker's employment ends, which decides where its sessions wait. */
  enum End {
    LOST,
    LEFT
  }

  /** The most that are employed at a time, and the most retired ones that are listed. */
  static final int MOST_WORKERS = 1_000;

  private final UndoList undo;
  private final SessionList unassigned;
  private final SessionList parked;
  private final SessionList ending;
  private final Map<UUID, SessionWorker> workers = new LinkedHashMap<>();
  // By order of registration: all that are not retired, and those with room.
  private final TreeMap<Long, SessionWorker> employed = new TreeMap<>();
  private final TreeMap<Long, SessionWorker> withRoom = new TreeMap<>();
  private SessionDefinition rules = SessionDefinition.of("key");
  private long registrations;
  // The order of the worker that gets the next session, if it has room.
  private long next;

  SessionAssignment(UndoList undo) {
    this.undo = undo;
    this.unassigned = new SessionList(Kind.PLACE, undo);
    this.parked = new SessionList(Kind.PLACE, undo);
    this.ending = new SessionList(Kind.PLACE, undo);
  }

  SessionDefinition rules() {
    return rules;
  }

  /** Takes rules that may have changed (M-15); sessions stay where they are. */
  void use(SessionDefinition changed) {
    if (!changed.equals(rules)) {
      boolean caps = changed.maxPerWorker() != rules.maxPerWorker();
      rules = changed;
      if (caps) {
        employed.values().forEach(this::noteRoom);
      }
    }
  }

  /** Registers a worker, which gets sessions from its first heartbeat (M-05, M-06, M-16). */
  SessionWorker register(Employment employment, long order, long now) {
    UUID id = employment.id();
    SessionWorker worker = new SessionWorker(employment, order, now, undo);
    // A place of its own in the map too, so that workers are listed as they registered.
    SessionWorker before = workers.remove(id);
    long beforeOrder = registrations;
    workers.put(id, worker);
    employed.put(order, worker);
    registrations = Math.max(registrations, order);
    undo.add(
        () -> {
          workers.remove(id);
          employed.remove(order);
          withRoom.remove(order);
          registrations = beforeOrder;
          if (before != null) {
            workers.put(id, before);
          }
        });
    return worker;
  }

  /** The order of the next worker that registers. */
  long nextOrder() {
    return registrations + 1;
  }

  long registrations() {
    return registrations;
  }

  /** Notes that a worker lives. */
  void heartbeat(SessionWorker worker, long now) {
    worker.heard(now);
    noteRoom(worker);
  }

  /**
   * Notes those that have missed a heartbeat; the ones that have missed too many (M-03, M-07).
   *
   * @param stopped the silence in nanoseconds before which a worker may still work on its sessions,
   *     because an earlier definition allowed it
   */
  List<SessionWorker> silent(long now, long stopped) {
    long heartbeat = rules.heartbeat().toNanos();
    List<SessionWorker> lost = new ArrayList<>();
    for (SessionWorker worker : employed.values()) {
      long missed = worker.missed(now, heartbeat);
      if (missed >= rules.missed() && worker.silence(now) >= stopped) {
        lost.add(worker);
      } else if (missed > 0 && worker.state() == SessionWorkerState.AVAILABLE) {
        worker.absent();
        noteRoom(worker);
      }
    }
    return lost;
  }

  /** Those that were retired so long ago, or before so many others, that they are forgotten. */
  List<SessionWorker> retiredLongAgo(long now) {
    List<SessionWorker> retired =
        new ArrayList<>(workers.values().stream().filter(worker -> !worker.employed()).toList());
    retired.sort(
        Comparator.comparingLong((SessionWorker worker) -> worker.silence(now)).reversed());
    int surplus = retired.size() - MOST_WORKERS;
    long longest = rules.retiredFor().toNanos();
    return IntStream.range(0, retired.size())
        .filter(i -> i < surplus || retired.get(i).silence(now) >= longest)
        .mapToObj(retired::get)
        .toList();
  }

  /** Whether one more worker would be too many. */
  boolean isFull() {
    return employed.size() >= MOST_WORKERS;
  }

  /** Whether so many retired ones are listed that some are to be forgotten before another one. */
  boolean hasManyRetired() {
    return workers.size() - employed.size() > MOST_WORKERS;
  }

  void forget(SessionWorker worker) {
    undo.set(workers, worker.id(), null);
  }

  /** Ends the employment of a worker without sessions. */
  void retire(SessionWorker worker, long now) {
    undo.add(() -> noteRoom(worker));
    if (next == worker.order()) {
      setNext(following(worker.order()));
    }
    undo.set(employed, worker.order(), null);
    worker.retire(now, undo);
    noteRoom(worker);
  }

  void askToLeave(SessionWorker worker, String by) {
    undo.add(() -> noteRoom(worker));
    worker.askToLeave(by, undo);
    noteRoom(worker);
  }

  /** Lets a worker take more or fewer sessions; those that it has stay. */
  void setCap(SessionWorker worker, int cap) {
    undo.add(() -> noteRoom(worker));
    worker.setCap(cap, undo);
    noteRoom(worker);
  }

  private void setNext(long order) {
    long before = next;
    next = order;
    undo.add(() -> next = before);
  }

  private void noteRoom(SessionWorker worker) {
    if (worker.hasRoom(cap(worker)) && employed.get(worker.order()) == worker) {
      withRoom.put(worker.order(), worker);
    } else {
      withRoom.remove(worker.order(), worker);
    }
  }

  /** How many sessions a worker takes. */
  int cap(SessionWorker worker) {
    return Math.min(worker.employment().cap(), rules.maxPerWorker());
  }

  // The worker whose turn it is after that one; 0 if there is none.
  private long following(long order) {
    Long found = employed.higherKey(order);
    if (found == null && !employed.isEmpty()) {
      found = employed.firstKey();
    }
    return found == null || found == order ? 0 : found;
  }

  /** Whether a worker would get a further session. */
  boolean anyRoom() {
    return !withRoom.isEmpty();
  }

  boolean hasRoom(SessionWorker worker) {
    return withRoom.get(worker.order()) == worker;
  }

  /** Whose turn it is of those with room; null if nobody has room. */
  SessionWorker turn() {
    Map.Entry<Long, SessionWorker> turn = withRoom.ceilingEntry(next);
    turn = turn == null ? withRoom.firstEntry() : turn;
    return turn == null ? null : turn.getValue();
  }

  /**
   * Gives a session without a worker to one.
   *
   * @param byTurn whether the next session is the next worker's
   */
  void give(Session session, SessionWorker worker, boolean byTurn) {
    undo.add(() -> noteRoom(worker));
    session.list(Kind.PLACE).remove(session);
    session.assign(worker, undo);
    session.slot().addAssigned(1);
    worker.sessions().addLast(session);
    if (byTurn) {
      setNext(following(worker.order()));
    }
    noteRoom(worker);
  }

  /** Takes a session from its worker; it waits, at the front or at the back. */
  void takeBack(Session session, boolean front) {
    leave(session);
    add(session, front);
  }

  /** Adds a session without a worker to those that wait. */
  void add(Session session) {
    add(session, false);
  }

  /** The same, at the front or at the back. */
  void add(Session session, boolean front) {
    if (front) {
      waiting(session).addFirst(session);
    } else {
      waiting(session).addLast(session);
    }
  }

  /** Removes a session from all lists. */
  void remove(Session session) {
    if (session.worker() != null) {
      leave(session);
    } else if (session.list(Kind.PLACE) != null) {
      session.list(Kind.PLACE).remove(session);
    }
  }

  private void leave(Session session) {
    SessionWorker worker = session.worker();
    undo.add(() -> noteRoom(worker));
    session.list(Kind.PLACE).remove(session);
    for (Kind kind : List.of(Kind.READY, Kind.DELIVERED)) {
      if (session.list(kind) != null) {
        session.list(kind).remove(session);
      }
    }
    session.takeBack(undo);
    session.slot().addAssigned(-1);
    noteRoom(worker);
  }

  /** Puts a session where it belongs after a change of its slot or of its being parked. */
  void settle(Session session) {
    SessionWorker worker = session.worker();
    SessionList place = waiting(session);
    if (worker != null) {
      place = session.revoked() ? worker.revoked() : worker.sessions();
    }
    if (!place.contains(session)) {
      session.list(Kind.PLACE).remove(session);
      place.addLast(session);
    }
  }

  /** Puts the sessions of a slot where they belong after a change of it. */
  void settle(SlotSessions slot) {
    if (!slot.blocked()) {
      while (slot.held().size() > 0) {
        settle(slot.held().first());
      }
    }
    slot.sessions().inOrder().forEach(this::settle);
  }

  /** Puts a session of a checkpoint where it belongs, after those that were put there before. */
  void restore(Session session) {
    SessionWorker worker = session.worker();
    if (worker == null) {
      add(session);
    } else {
      (session.revoked() ? worker.revoked() : worker.sessions()).addLast(session);
    }
  }

  private SessionList waiting(Session session) {
    if (session.slot().blocked()) {
      return session.slot().held();
    }
    if (session.ending() != null) {
      return ending;
    }
    return session.parked() == null ? unassigned : parked;
  }

  /** A worker, employed or retired not long ago; null if it is unknown. */
  SessionWorker worker(UUID id) {
    return workers.get(id);
  }

  /** An employed worker by its order; null if there is none. */
  SessionWorker worker(long order) {
    return employed.get(order);
  }

  Collection<SessionWorker> workers() {
    return workers.values();
  }

  Collection<SessionWorker> employed() {
    return employed.values();
  }

  /** Those that may be assigned, the next one first. */
  SessionList unassigned() {
    return unassigned;
  }

  /** Those that wait for an operator. */
  SessionList parked() {
    return parked;
  }

  /** Those that end, and that no worker has any more. */
  SessionList ending() {
    return ending;
  }

  /** The worker whose turn it is, whether it has room or not; null if there is none. */
  SessionWorker next() {
    SessionWorker worker = employed.get(next);
    return worker != null || employed.isEmpty() ? worker : employed.firstEntry().getValue();
  }

  long nextTurn() {
    return next;
  }

  /** Sets what a checkpoint has. */
  void restore(long lastOrder, long turn) {
    registrations = lastOrder;
    next = turn;
  }
}

package io.millrace.queuenode.session;

import io.millrace.api.Pure;
import io.millrace.api.session.SessionNumber;
import io.millrace.queuenode.session.Session.SessionList;
import io.millrace.queuenode.session.SessionWorker.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Assigns the sessions of one segment to its workers: a new key to the next worker with room, round
 * robin, its later events to the same worker (M-02, M-08..M-10). Each change takes a time that does
 * not depend on how many sessions there are, apart from returning all sessions of a worker. Times
 * are nanoseconds of a clock that never goes back. One thread.
 */
@Pure
final class SessionAssignment {
  private final SessionList unassigned = new SessionList();
  private final Map<String, Session> sessions = new HashMap<>();
  private final Map<UUID, SessionWorker> workers = new LinkedHashMap<>();
  // By order of registration: all that are not retired, and those with room.
  private final TreeMap<Long, SessionWorker> employed = new TreeMap<>();
  private final TreeMap<Long, SessionWorker> withRoom = new TreeMap<>();
  private AssignmentSettings settings;
  private long registrations;
  // The order of the worker that gets the next session, if it has room.
  private long next;

  SessionAssignment(AssignmentSettings settings) {
    this.settings = settings;
  }

  /**
   * How sessions are assigned (M-15).
   *
   * @param maxPerWorker the most sessions of a worker that asks for no fewer
   * @param maxUnassigned the most sessions without a worker before no further ones are opened
   * @param heartbeat how often a worker is to be heard of
   * @param missed after how many missed heartbeats it is retired
   * @param retiredFor how long a retired worker is remembered
   */
  record AssignmentSettings(
      int maxPerWorker, int maxUnassigned, Duration heartbeat, int missed, Duration retiredFor) {
    static final AssignmentSettings DEFAULT =
        new AssignmentSettings(30_000, 100_000, Duration.ofMinutes(1), 3, Duration.ofMinutes(10));

    AssignmentSettings {
      if (maxPerWorker < 1 || maxUnassigned < 1 || missed < 1) {
        throw new IllegalArgumentException("maxPerWorker, maxUnassigned and missed are at least 1");
      }
      if (heartbeat.isNegative() || heartbeat.isZero()) {
        throw new IllegalArgumentException("heartbeat is longer than 0");
      }
    }
  }

  /** Takes settings that have changed; sessions stay where they are. */
  void use(AssignmentSettings changed) {
    settings = changed;
  }

  /** What a registration has come to. */
  enum Registration {
    /** It was unknown or retired, and is employed now. */
    EMPLOYED,
    /** The same process was registered already; nothing changes. */
    REPEATED,
    /** Another process of this worker was: its sessions are assigned again, to it or others. */
    REPLACED
  }

  /**
   * Registers a worker, which gets sessions from its first heartbeat (M-05, M-06, M-16).
   *
   * @param cap how many sessions it takes; null for as many as the settings allow
   */
  Registration register(UUID id, UUID incarnation, Integer cap, long now) {
    SessionWorker known = workers.get(id);
    boolean employed = known != null && known.state() != State.RETIRED;
    if (employed && known.incarnation().equals(incarnation)) {
      return Registration.REPEATED;
    }
    if (employed) {
      retire(known, End.LOST, now);
    }
    int most = cap == null ? settings.maxPerWorker() : Math.min(cap, settings.maxPerWorker());
    // A place of its own in the map too, so that workers are listed as they registered.
    workers.remove(id);
    SessionWorker worker = new SessionWorker(id, ++registrations, incarnation, most, now);
    workers.put(id, worker);
    this.employed.put(worker.order(), worker);
    return employed ? Registration.REPLACED : Registration.EMPLOYED;
  }

  /** Notes that a worker lives; false if this process is not registered, so that it registers. */
  boolean heartbeat(UUID id, UUID incarnation, long now) {
    SessionWorker worker = workers.get(id);
    if (worker == null
        || worker.state() == State.RETIRED
        || !worker.incarnation().equals(incarnation)) {
      return false;
    }
    worker.heard(now);
    noteRoom(worker);
    return true;
  }

  /** Retires a worker that leaves by itself (M-12); false if this process is not registered. */
  boolean leave(UUID id, UUID incarnation, long now) {
    SessionWorker worker = workers.get(id);
    if (worker == null
        || worker.state() == State.RETIRED
        || !worker.incarnation().equals(incarnation)) {
      return false;
    }
    retire(worker, End.LEFT, now);
    return true;
  }

  /**
   * Retires workers that have missed too many heartbeats (M-03, M-07), and forgets those that were
   * retired long ago.
   *
   * @return the workers that were retired now
   */
  List<UUID> look(long now) {
    long heartbeat = settings.heartbeat().toNanos();
    List<UUID> retired = new ArrayList<>();
    for (SessionWorker worker : List.copyOf(employed.values())) {
      long missed = worker.missed(now, heartbeat);
      if (missed >= settings.missed()) {
        retire(worker, End.LOST, now);
        retired.add(worker.id());
      } else if (missed > 0 && worker.state() == State.AVAILABLE) {
        worker.absent();
        noteRoom(worker);
      }
    }
    Iterator<SessionWorker> all = workers.values().iterator();
    while (all.hasNext()) {
      SessionWorker worker = all.next();
      if (worker.state() == State.RETIRED
          && worker.silence(now) >= settings.retiredFor().toNanos()) {
        all.remove();
      }
    }
    return retired;
  }

  /** How a worker's employment ends, which decides where its sessions wait. */
  private enum End {
    LOST,
    LEFT
  }

  private void retire(SessionWorker worker, End end, long now) {
    if (next == worker.order()) {
      next = following(worker.order());
    }
    employed.remove(worker.order());
    worker.retire(now);
    noteRoom(worker);
    SessionList list = worker.sessions();
    // From the last one to the front, or from the first one to the back: their order stays.
    while (list.size() > 0) {
      Session session = end == End.LOST ? list.last() : list.first();
      list.remove(session);
      session.takeBack();
      if (end == End.LOST) {
        unassigned.addFirst(session);
      } else {
        unassigned.addLast(session);
      }
    }
  }

  private void noteRoom(SessionWorker worker) {
    if (worker.hasRoom()) {
      withRoom.put(worker.order(), worker);
    } else {
      withRoom.remove(worker.order());
    }
  }

  // The worker whose turn it is after that one; 0 if there is none.
  private long following(long order) {
    Long found = employed.higherKey(order);
    if (found == null && !employed.isEmpty()) {
      found = employed.firstKey();
    }
    return found == null || found == order ? 0 : found;
  }

  /** Whether the next event of a new key would be accepted (M-15). */
  boolean mayOpen() {
    return !withRoom.isEmpty() || unassigned.size() < settings.maxUnassigned();
  }

  /**
   * Accepts an event, which opens a session if its key has none (M-08, M-10); {@link #assign} is
   * due afterwards.
   *
   * @param epoch of the key's slot
   * @return the session; null if it would have to be opened, and too many have no worker
   */
  Session accept(String key, long epoch) {
    Session session = sessions.get(key);
    if (session == null) {
      if (!mayOpen()) {
        return null;
      }
      session = new Session(key, epoch);
      sessions.put(key, session);
      unassigned.addLast(session);
    }
    session.accept();
    return session;
  }

  /** A session that a worker has got. */
  record Assignment(Session session, SessionWorker worker) {}

  /**
   * Gives sessions without a worker, the first one first, to workers with room, round robin (M-02,
   * M-09). Nothing is left to assign if fewer than asked for are returned.
   *
   * @param most how many at a time, so that nobody waits for a long list
   */
  List<Assignment> assign(int most) {
    List<Assignment> assigned = new ArrayList<>();
    while (assigned.size() < most && unassigned.size() > 0 && !withRoom.isEmpty()) {
      Map.Entry<Long, SessionWorker> turn = withRoom.ceilingEntry(next);
      SessionWorker worker = (turn == null ? withRoom.firstEntry() : turn).getValue();
      next = following(worker.order());
      assigned.add(give(unassigned.first(), worker));
    }
    return assigned;
  }

  private Assignment give(Session session, SessionWorker worker) {
    unassigned.remove(session);
    session.assign(worker);
    worker.sessions().addLast(session);
    noteRoom(worker);
    return new Assignment(session, worker);
  }

  /** What a worker's message about a session has come to. */
  enum Answer {
    DONE,
    /** It does not cover all events that were accepted meanwhile: the session stays open. */
    CONTINUES,
    /** The session has had another assignment since. */
    STALE,
    /** There is no such session: it was completed, or never opened. */
    UNKNOWN
  }

  /**
   * Acknowledges the events of a session up to one.
   *
   * @param number of the assignment under which the worker got them
   * @param last the number of the last of them
   */
  Answer acknowledge(String key, SessionNumber number, long last) {
    Session session = sessions.get(key);
    Answer refusal = refusal(session, number, last);
    if (refusal != null) {
      return refusal;
    }
    if (last > session.acknowledged()) {
      session.acknowledge(last);
    }
    return Answer.DONE;
  }

  /**
   * What a completion has come to.
   *
   * @param next what the worker got in the session's place; null for nothing
   */
  record Completion(Answer answer, Assignment next) {}

  /**
   * Completes a session (M-11). The worker gets the first of those without one in its place,
   * whoever's turn it is.
   *
   * @param number of the assignment under which the worker got its events
   * @param last the number of the last event that it had seen
   */
  Completion complete(String key, SessionNumber number, long last) {
    Session session = sessions.get(key);
    Answer refusal = refusal(session, number, last);
    if (refusal != null) {
      return new Completion(refusal, null);
    }
    session.acknowledge(Math.max(last, session.acknowledged()));
    if (last < session.accepted()) {
      return new Completion(Answer.CONTINUES, null);
    }
    SessionWorker worker = session.worker();
    worker.sessions().remove(session);
    session.takeBack();
    sessions.remove(key);
    noteRoom(worker);
    boolean more = unassigned.size() > 0 && worker.hasRoom();
    return new Completion(Answer.DONE, more ? give(unassigned.first(), worker) : null);
  }

  // Null if a worker has the session under that number, and can have seen that event.
  private static Answer refusal(Session session, SessionNumber number, long last) {
    if (session == null) {
      return Answer.UNKNOWN;
    }
    if (session.worker() == null || !session.number().equals(number)) {
      return Answer.STALE;
    }
    if (last < 0 || last > session.accepted()) {
      throw new IllegalArgumentException(
          "session %s has %d events, not %d".formatted(session.key(), session.accepted(), last));
    }
    return null;
  }

  /** The open session of a key; null if there is none. */
  Session session(String key) {
    return sessions.get(key);
  }

  /** A worker, employed or retired not long ago; null if it is unknown. */
  SessionWorker worker(UUID id) {
    return workers.get(id);
  }

  int open() {
    return sessions.size();
  }

  int unassigned() {
    return unassigned.size();
  }

  /** Those without a worker, the next one to be assigned first. */
  SessionList waiting() {
    return unassigned;
  }

  /** The worker whose turn it is, whether it has room or not; null if there is none. */
  SessionWorker next() {
    SessionWorker worker = employed.get(next);
    return worker != null || employed.isEmpty() ? worker : employed.firstEntry().getValue();
  }
}

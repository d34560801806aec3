package io.millrace.api.session;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A session as operators see it.
 *
 * @param key its key
 * @param node the queue node that has it
 * @param slot of its key
 * @param state its state
 * @param number of its last assignment
 * @param worker who has it; null for nobody
 * @param workerName the name of that worker; null if it has none
 * @param accepted events accepted so far
 * @param acknowledged events acknowledged so far
 * @param openedAt when its first event was accepted; null if it is completed
 * @param lastEventAt when its last event was accepted, or when it ended if it is completed
 * @param oldestUnacknowledgedSeconds age of its oldest unacknowledged event; 0 for none
 * @param waitsFor why nobody works on it, or what holds it up; null for nothing
 */
public record SessionView(
    String key,
    String node,
    int slot,
    SessionState state,
    SessionNumber number,
    UUID worker,
    String workerName,
    long accepted,
    long acknowledged,
    Instant openedAt,
    Instant lastEventAt,
    double oldestUnacknowledgedSeconds,
    String waitsFor) {

  /** The same session, for which something else is waited. */
  public SessionView waitingFor(String cause) {
    return new SessionView(
        key,
        node,
        slot,
        state,
        number,
        worker,
        workerName,
        accepted,
        acknowledged,
        openedAt,
        lastEventAt,
        oldestUnacknowledgedSeconds,
        cause);
  }

  /** What a session is. */
  public enum SessionState {
    /** Nobody has it. */
    UNASSIGNED,
    /** A worker has it. */
    OPEN,
    /** An event of it failed too often, and an operator must decide. */
    PARKED,
    /** It has ended, and its key is remembered. */
    COMPLETED
  }

  /**
   * A session with what happened to it.
   *
   * @param session the session
   * @param events the first ones of those that are kept, in order; at most 1,000, and with the
   *     snapshot about 1 MiB of JSON text, but at least one
   * @param moreEvents how many further events are kept
   * @param snapshot the last state that a worker reported; null for none, and for one of more than
   *     1 MiB
   * @param snapshotThrough the last event that it covers; 0 for none
   * @param snapshotBytes its size as JSON text, also of one that is too large to be shown
   * @param history of its assignments, the earliest first; at most the last 20
   */
  public record SessionDetails(
      SessionView session,
      List<KeptEvent> events,
      long moreEvents,
      JsonNode snapshot,
      long snapshotThrough,
      long snapshotBytes,
      List<SessionMoment> history) {

    /** Without events and without a snapshot, as of a session that has ended. */
    public SessionDetails(SessionView session, List<SessionMoment> history) {
      this(session, List.of(), 0, null, 0, 0, history);
    }

    /** The same for another view of the session. */
    public SessionDetails of(SessionView other) {
      return new SessionDetails(
          other, events, moreEvents, snapshot, snapshotThrough, snapshotBytes, history);
    }
  }

  /**
   * An event that is kept.
   *
   * @param state WAITING, DELIVERED or ACKNOWLEDGED
   */
  public record KeptEvent(
      long n, String id, Instant storedAt, String state, String attributes, JsonNode data) {}

  /**
   * Something that happened to a session.
   *
   * @param at when
   * @param what such as ASSIGNED, RETURNED, PARKED
   * @param number of the assignment
   * @param worker concerned; null for none
   * @param reason human-readable
   */
  public record SessionMoment(
      Instant at, String what, SessionNumber number, UUID worker, String reason) {}

  /**
   * Some sessions.
   *
   * @param sessions in order
   * @param next passed as {@code after} for those that follow; null at the end
   */
  public record SessionPage(List<SessionView> sessions, String next) {}

  /**
   * A worker as operators see it.
   *
   * @param id its own id
   * @param name null for none
   * @param node the queue node at which it is registered
   * @param queue whose sessions it takes
   * @param state its state
   * @param job that it is an attempt of; null for a program outside
   * @param sessions how many it has
   * @param cap how many it takes
   * @param silentSeconds since it was last heard of
   * @param missed heartbeats missed since
   * @param oldestUnacknowledgedSeconds age of the oldest unacknowledged event delivered to it; 0
   *     for none
   * @param reported events delivered to it in total
   * @param leaving whether it was asked to end
   */
  public record SessionWorkerView(
      UUID id,
      String name,
      String node,
      String queue,
      SessionWorkerState state,
      String job,
      int sessions,
      int cap,
      double silentSeconds,
      long missed,
      double oldestUnacknowledgedSeconds,
      long reported,
      boolean leaving) {}

  /**
   * The sessions of one segment (M-14). Counters count since the store was created.
   *
   * @param unassigned sessions without a worker
   * @param assigned sessions with one
   * @param parked sessions that wait for an operator
   * @param workers that are employed
   * @param capacity sessions that they take together
   * @param remembered completed keys
   * @param opened sessions opened in total
   * @param completed sessions completed in total
   * @param handovers assignments after a session's first one in total
   * @param duplicates events with a remembered key, and events sent again, in total
   * @param refused events refused because too many sessions had no worker, or theirs was at {@code
   *     maxPerKey}, in total
   * @param late events that came from a lost node after its slots had gone on, in total
   * @param skipped events given up after too many failures in total
   * @param stale results refused as those of a former worker in total
   * @param slots slots that the node has
   * @param waitingSlots slots that wait for the events of an earlier owner
   * @param full sessions at {@code maxPerKey} of which events were refused since the node was
   *     started
   * @param stalledSeconds age of the oldest unacknowledged event delivered to any worker; 0 for
   *     none
   * @param stalledWorker the worker that has that event; null for none
   */
  public record SessionFigures(
      long unassigned,
      long assigned,
      long parked,
      int workers,
      long capacity,
      long remembered,
      long opened,
      long completed,
      long handovers,
      long duplicates,
      long refused,
      long late,
      long skipped,
      long stale,
      int slots,
      int waitingSlots,
      int full,
      double stalledSeconds,
      UUID stalledWorker) {
    /** Nothing. */
    public static final SessionFigures NONE =
        new SessionFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null);

    /** The figures of two segments together; a worker of both counts twice. */
    public SessionFigures plus(SessionFigures other) {
      return new SessionFigures(
          unassigned + other.unassigned,
          assigned + other.assigned,
          parked + other.parked,
          workers + other.workers,
          capacity + other.capacity,
          remembered + other.remembered,
          opened + other.opened,
          completed + other.completed,
          handovers + other.handovers,
          duplicates + other.duplicates,
          refused + other.refused,
          late + other.late,
          skipped + other.skipped,
          stale + other.stale,
          slots + other.slots,
          waitingSlots + other.waitingSlots,
          full + other.full,
          Math.max(stalledSeconds, other.stalledSeconds),
          stalledSeconds >= other.stalledSeconds ? stalledWorker : other.stalledWorker);
    }
  }

  /**
   * What an operator does with a session.
   *
   * @param action what
   * @param key of the session
   * @param reason recorded with it; null for none
   * @param expected the state in which the session must be, or nothing is done (CONFLICT); null for
   *     any
   */
  public record SessionCommand(
      SessionAction action, String key, String reason, SessionState expected) {
    /** What an operator does with a session in any state. */
    public static SessionCommand of(SessionAction action, String key, String reason) {
      return new SessionCommand(action, key, reason, null);
    }
  }

  /**
   * What has become of a session on an operator's request.
   *
   * @param message what was done, or what is to happen first; human-readable
   */
  public record SessionActed(String message) {}

  /** What an operator may do with a session. */
  public enum SessionAction {
    /** Its worker loses it, and the next one gets it. A parked session is delivered again. */
    MOVE,
    /** It ends, and its key is remembered as completed. */
    CLOSE,
    /** It is removed with its events and not remembered; a key that is remembered is forgotten. */
    DROP
  }
}

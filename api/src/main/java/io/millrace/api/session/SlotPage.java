package io.millrace.api.session;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.UUID;

/**
 * A part of what a node holds of one slot, on its way to the slot's new owner.
 *
 * @param slot the slot
 * @param epoch under which the giver held it
 * @param from the giver's name
 * @param sending the attempt that it belongs to
 * @param part its place among the parts of the slot, from 0
 * @param sessions open sessions, in the order in which they wait for a worker; a long one may
 *     continue in the next part
 * @param completed remembered keys, the oldest first
 * @param next passed to the giver for the part after it; null for the last part
 * @param contained earlier holdings of the slot whose events are among these, as {@link #holding}
 *     names them; what their owners send of them is not taken again
 */
public record SlotPage(
    int slot,
    long epoch,
    String from,
    Sending sending,
    int part,
    List<MovedSession> sessions,
    List<RememberedKey> completed,
    String next,
    List<String> contained) {
  public SlotPage {
    contained = contained == null ? List.of() : List.copyOf(contained);
    sessions = sessions == null ? List.of() : List.copyOf(sessions);
    completed = completed == null ? List.of() : List.copyOf(completed);
  }

  /** Names what a node held of a slot under an epoch. */
  public static String holding(String owner, long epoch) {
    return owner + "/" + epoch;
  }

  /**
   * One attempt to send a slot. A part that has arrived is answered once more and not stored again;
   * one of an attempt that another one has followed is refused, but for a first part, which begins
   * again.
   *
   * @param ownerEpoch under which the receiver has the slot, in the row that the giver follows; one
   *     that has it under another epoch refuses the part
   * @param id parts of different attempts are never put together, as the giver may have got more
   *     between them
   */
  public record Sending(long ownerEpoch, UUID id) {
    /** A new attempt. */
    public static Sending to(long ownerEpoch) {
      return new Sending(ownerEpoch, UUID.randomUUID());
    }
  }

  /**
   * A session, or a part of one.
   *
   * @param key its key
   * @param number of its last assignment, or what it was opened with
   * @param assigned whether any worker has had it
   * @param openedAt wall time in milliseconds
   * @param accepted events accepted in all
   * @param acknowledged the last event that is acknowledged with all before it
   * @param snapshot the last state reported; null for none
   * @param snapshotThrough the last event that it covers
   * @param failed the event that failed last and is not done; 0 for none
   * @param attempts its failures
   * @param parked why it is parked; null if it is not
   * @param ending IDLE or COMPLETED if it ends as soon as it is known that it has no further
   *     events; null if it does not
   * @param earlierIds hashes of the ids of events that are no longer kept, for detecting
   *     repetitions; only in its first part
   * @param events that are kept, in order
   */
  public record MovedSession(
      String key,
      SessionNumber number,
      boolean assigned,
      long openedAt,
      long accepted,
      long acknowledged,
      JsonNode snapshot,
      long snapshotThrough,
      long failed,
      int attempts,
      String parked,
      String ending,
      List<Long> earlierIds,
      List<MovedEvent> events) {}

  /**
   * An event that is kept.
   *
   * @param n its place in the session
   * @param storedAt wall time in milliseconds
   * @param attributes as JSON text; null for none
   * @param data JSON text
   */
  public record MovedEvent(long n, String id, long storedAt, String attributes, String data) {}

  /**
   * A completed session whose key is remembered.
   *
   * @param completedAt wall time in milliseconds
   * @param epoch of its slot then; 0 for that of the number
   * @param events that it had
   * @param acknowledged those of them that a worker acknowledged
   * @param outcome COMPLETED, CLOSED, IDLE or FAILED
   * @param worker who completed it; null for nobody
   * @param ids hashes of the ids of its last events
   */
  public record RememberedKey(
      String key,
      SessionNumber number,
      long completedAt,
      long epoch,
      long events,
      long acknowledged,
      String outcome,
      String worker,
      List<Long> ids) {}
}

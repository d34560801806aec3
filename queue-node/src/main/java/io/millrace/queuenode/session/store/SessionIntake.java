package io.millrace.queuenode.session.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.session.SessionDefinition.DuplicatePolicy;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SlotTable;
import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.SessionRow.RememberedRow;
import io.millrace.queuenode.session.store.SessionStore.KeyedEvent;
import io.millrace.queuenode.session.store.SessionStore.PutAnswer;
import io.millrace.queuenode.session.store.SessionStore.PutResult;
import io.millrace.queuenode.session.store.SessionStore.SessionPut;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Accepts events, each for itself; but after one that is refused, later ones of its key in the same
 * request are too, so that none comes before another (M-08, M-10, M-11, M-15). One thread.
 */
final class SessionIntake {
  private final SessionChanges changes;
  private final RememberedKeys keys;
  private final Assigning assigning;

  SessionIntake(SessionChanges changes, RememberedKeys keys, Assigning assigning) {
    this.changes = changes;
    this.keys = keys;
    this.assigning = assigning;
  }

  PutAnswer put(QueueSessions queue, SessionPut put) {
    queue.assignment().use(put.rules());
    Wakes wakes = new Wakes();
    Map<String, PutResult> refused = new HashMap<>();
    List<PutResult> results = new ArrayList<>(put.events().size());
    long now = changes.now();
    for (KeyedEvent event : put.events()) {
      PutResult result = refused.isEmpty() ? null : refused.get(event.key());
      if (result == null) {
        result = one(queue, put, event, now, wakes);
        if (result.code() != null) {
          refused.put(event.key(), result);
        }
      }
      results.add(result);
    }
    return new PutAnswer(results, wakes.effects());
  }

  /** The answer of a node that has no slots of the queue. */
  static PutAnswer withoutSlots(SessionPut put) {
    return new PutAnswer(
        put.events().stream().map(SessionIntake::stale).toList(), SessionStore.Effects.NONE);
  }

  private PutResult one(
      QueueSessions queue, SessionPut put, KeyedEvent event, long now, Wakes wakes) {
    SlotSessions slot = queue.slot(event.slot());
    if (slot == null || !accepts(slot, event)) {
      return stale(event);
    }
    long hash = IdHash.of(event.event().id());
    Session session = slot.sessions().get(event.key());
    if (session != null) {
      // It may have been opened again since the event was completed.
      boolean known =
          session.knows(hash) || RememberedKeys.knows(keys.all(slot, event.key(), now), hash);
      return known ? repeated(queue) : further(session, put, event, wakes, now);
    }
    List<RememberedRow> ends =
        hasArrived(slot, event.key()) ? List.of() : keys.all(slot, event.key(), now);
    if (!ends.isEmpty()) {
      if (RememberedKeys.knows(ends, hash)) {
        return repeated(queue);
      }
      RememberedRow row = ends.get(ends.size() - 1);
      changes.count(queue, Figure.DUPLICATES, 1);
      if (put.rules().duplicates() != DuplicatePolicy.REOPEN) {
        return duplicate(put, row);
      }
    }
    PutResult refusal = refusal(queue, put, put.maxBytes());
    if (refusal == null && !mayOpen(queue, put, slot)) {
      changes.count(queue, Figure.REFUSED, 1);
      refusal = full(put);
    }
    if (refusal != null) {
      return refusal;
    }
    SessionNumber number = new SessionNumber(slot.epoch(), slot.handovers());
    changes.open(slot, event.key(), number, event.event(), now);
    assigning.assign(queue, 1, wakes);
    return PutResult.STORED;
  }

  private PutResult further(
      Session session, SessionPut put, KeyedEvent event, Wakes wakes, long now) {
    if (session.ending() != null && !session.ending().keptOpenByEvents()) {
      return new PutResult(
          false,
          ErrorCode.UNAVAILABLE,
          "the session '"
              + event.key()
              + "' ends as soon as its worker has given it back; send the event again then");
    }
    if (session.kept() >= put.rules().maxPerKey()) {
      changes.count(session.queue(), Figure.REFUSED, 1);
      session.queue().noteFull(session);
      return new PutResult(
          false,
          ErrorCode.SESSIONS_FULL,
          "the session '%1$s' is full: %2$d events of it are kept, the most of one session; its worker must report a snapshot or complete it, and 'millrace session close %3$s %1$s' or 'session drop' ends it"
              .formatted(event.key(), session.kept(), session.queue().name()));
    }
    // Its kept events are deleted only when it ends or has a snapshot, for which it may need this
    // one.
    PutResult refusal = refusal(session.queue(), put, 0);
    if (refusal == null) {
      if (session.ending() != null) {
        changes.setEnding(session, null);
      }
      changes.accept(session, event.event(), now);
      wakes.add(session);
    }
    return refusal == null ? PutResult.STORED : refusal;
  }

  private static boolean accepts(SlotSessions slot, KeyedEvent event) {
    return slot.epoch() > 0
        && !slot.sealed()
        && (event.epoch() == 0 || event.epoch() == slot.epoch());
  }

  // An earlier owner had it open, which is judged when all of it has arrived.
  private static boolean hasArrived(SlotSessions slot, String key) {
    return slot.imports().values().stream()
        .anyMatch(arriving -> arriving.sessions().containsKey(key));
  }

  private PutResult repeated(QueueSessions queue) {
    changes.count(queue, Figure.DUPLICATES, 1);
    return PutResult.REPEATED;
  }

  private static PutResult stale(KeyedEvent event) {
    return new PutResult(
        false,
        ErrorCode.STALE_SLOT,
        "this node does not have slot %d of the key '%s' under the epoch %d, or gives it away; send"
                .formatted(event.slot(), event.key(), event.epoch())
            + " the event to the slot's owner");
  }

  private static PutResult duplicate(SessionPut put, RememberedRow row) {
    if (put.rules().duplicates() == DuplicatePolicy.DROP) {
      return PutResult.REPEATED;
    }
    return new PutResult(
        false,
        ErrorCode.DUPLICATE,
        "the session '%s' has ended already (%s, after %s); use another key"
            .formatted(
                row.key(),
                row.outcome().toLowerCase(Locale.ROOT),
                MessageText.counted(row.events(), "event")));
  }

  // Above the cap only what would open a session is refused; those with room take it at once.
  private static boolean mayOpen(QueueSessions queue, SessionPut put, SlotSessions slot) {
    return queue.unassigned() < share(put) || (!slot.blocked() && queue.assignment().anyRoom());
  }

  private static long share(SessionPut put) {
    return Math.max(1, (long) put.rules().maxUnassigned() * put.slots() / SlotTable.SLOTS);
  }

  private static PutResult full(SessionPut put) {
    return new PutResult(
        false,
        ErrorCode.SESSIONS_FULL,
        "too many sessions have no worker (this node's share, %d of maxUnassigned %d, is used up)"
                .formatted(share(put), put.rules().maxUnassigned())
            + "; send again later, or start more workers");
  }

  private static PutResult refusal(QueueSessions queue, SessionPut put, long maxBytes) {
    long events = queue.figure(Figure.WAITING) + queue.figure(Figure.LEASED);
    boolean tooMany = events >= put.maxEvents();
    if (tooMany || (maxBytes > 0 && queue.figure(Figure.BYTES) >= maxBytes)) {
      return new PutResult(
          false,
          ErrorCode.QUEUE_FULL,
          "this node's share of the queue is full (%d unfinished events, %d bytes)"
                  .formatted(events, queue.figure(Figure.BYTES))
              + "; send again later");
    }
    return null;
  }
}

package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionDefinition;
import io.millrace.queuenode.session.store.SessionRow.RememberedRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.roaringbitmap.longlong.PeekableLongIterator;

/**
 * The keys of completed sessions (M-11): their rows are in the log, and read only for a key with
 * the same hash. The oldest are forgotten first. One thread.
 */
final class RememberedKeys {
  /** The most ends of one key that are remembered. */
  static final int MOST_ENDS = 8;

  /**
   * The most of one hash: keys of one hash are read for each event of one of them. More than one
   * key has it only if somebody has looked for such keys.
   */
  static final int MOST_OF_HASH = 2 * MOST_ENDS;

  /** So many are forgotten at a time. */
  private static final int STEP = 1_000;

  private final SessionChanges changes;
  private final SessionRows rows;

  private record End(long seq, RememberedRow row) {}

  RememberedKeys(SessionChanges changes, SessionRows rows) {
    this.changes = changes;
    this.rows = rows;
  }

  /** What is remembered of a key, as it ended last; empty for nothing. */
  Optional<RememberedRow> find(SlotSessions slot, String key) {
    List<RememberedRow> all = all(slot, key);
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
  }

  /**
   * All that is remembered of a key, which may have been opened again, the last end last. What
   * arrives from an earlier owner has later rows, though it may have ended before.
   */
  List<RememberedRow> all(SlotSessions slot, String key) {
    return ends(slot, key).stream().map(End::row).toList();
  }

  /**
   * The same, without what was remembered for long enough at a time: what arrives from an earlier
   * owner may be older than what is forgotten next.
   *
   * @param at wall time in milliseconds
   */
  List<RememberedRow> all(SlotSessions slot, String key, long at) {
    long longest = slot.queue().assignment().rules().remember().toMillis();
    return all(slot, key).stream().filter(row -> at - row.completedAt() < longest).toList();
  }

  private List<End> ends(SlotSessions slot, String key) {
    long[] seqs = slot.remembered().rows(IdHash.of(key));
    if (seqs.length == 0) {
      return List.of();
    }
    Arrays.sort(seqs);
    List<End> found = new ArrayList<>();
    for (long seq : seqs) {
      if (rows.read(seq) instanceof RememberedRow row && row.key().equals(key)) {
        found.add(new End(seq, row));
      }
    }
    found.sort(Comparator.comparing(end -> end.row().number()));
    return found;
  }

  /** Whether a key had an event with this hash of its id when it was completed. */
  static boolean knows(List<RememberedRow> ends, long hash) {
    return ends.stream().anyMatch(row -> row.knows(hash));
  }

  /** Remembers an end of a key, which may have others; of these only the last ones. */
  void remember(SlotSessions slot, RememberedRow row) {
    if (all(slot, row.key()).stream().anyMatch(row::isSameEnd)) {
      // It has arrived before, in an attempt of which the rest did not.
      return;
    }
    changes.remember(row);
    // Each event of the key looks at all of them.
    List<End> ends = ends(slot, row.key());
    for (End end : ends.subList(0, Math.max(0, ends.size() - MOST_ENDS))) {
      forgetEarlier(slot, IdHash.of(row.key()), end.seq(), end.row());
    }
    forgetOthers(slot, IdHash.of(row.key()));
  }

  // Those that were remembered first.
  private void forgetOthers(SlotSessions slot, long hash) {
    long[] seqs = slot.remembered().rows(hash);
    Arrays.sort(seqs);
    for (int i = 0; i < seqs.length - MOST_OF_HASH; i++) {
      if (rows.read(seqs[i]) instanceof RememberedRow row) {
        forgetEarlier(slot, hash, seqs[i], row);
      }
    }
  }

  private void forgetEarlier(SlotSessions slot, long hash, long seq, RememberedRow row) {
    changes.count(slot.queue(), QueueSessions.Figure.FORGOTTEN, 1);
    changes.forget(slot, hash, seq, row.number());
  }

  /**
   * Ends a session, and remembers its key.
   *
   * @param worker null for nobody
   */
  void end(Session session, String outcome, SessionWorker worker, long now) {
    remember(
        session.slot(),
        new RememberedRow(
            session.queue().number(),
            session.slot().number(),
            session.key(),
            session.number(),
            now,
            session.slot().epoch(),
            session.accepted(),
            session.acknowledged(),
            outcome,
            worker == null ? null : worker.id().toString(),
            session.lastHashes(KeptEvents.EARLIER)));
    QueueSessions queue = session.queue();
    changes.remove(session, true);
    // How many are remembered is not known before the definition is.
    if (queue.rules() != null
        && queue.remembered().getLongCardinality()
            >= queue.assignment().rules().rememberMax() + (long) STEP) {
      trim(queue, now);
    }
  }

  /** Forgets a key, so that its next event opens a session; whether it was remembered. */
  boolean forget(SlotSessions slot, String key) {
    boolean any = false;
    long hash = IdHash.of(key);
    for (long seq : slot.remembered().rows(hash)) {
      if (rows.read(seq) instanceof RememberedRow row && row.key().equals(key)) {
        changes.forget(slot, hash, seq, row.number());
        any = true;
      }
    }
    return any;
  }

  /** Ends a session that was to end as soon as no worker has it; whether it was. */
  boolean endIfDue(Session session) {
    if (session.ending() == null || session.worker() != null) {
      return false;
    }
    if (session.ending().keptOpenByEvents() && session.slot().blocked()) {
      // Events of it may have been accepted by another owner.
      return false;
    }
    if (session.ending() == SessionEnding.DROPPED) {
      changes.remove(session, false);
    } else {
      end(session, session.ending().name(), null, changes.now());
    }
    return true;
  }

  /** Ends those that no worker has any more, up to some; whether there are more. */
  boolean endDue(QueueSessions queue) {
    SessionList due = queue.assignment().ending();
    for (int left = STEP; left > 0 && due.size() > 0; left--) {
      endIfDue(due.first());
    }
    return due.size() > 0;
  }

  /**
   * Ends a session: at once if no worker has it, or when its worker has given it back.
   *
   * @param wakes of whom the worker is one then
   */
  void end(Session session, SessionEnding how, Wakes wakes) {
    changes.setEnding(session, how);
    if (!endIfDue(session) && !session.movedAlone()) {
      changes.revoke(
          session, how == SessionEnding.IDLE ? "it was idle and was to end" : "it was to end");
      wakes.add(session.queue(), session.worker());
    }
  }

  /** Forgets keys that are too many or too old, up to some; whether there are more. */
  boolean trim(QueueSessions queue, long now) {
    SessionDefinition rules = queue.assignment().rules();
    long surplus = queue.remembered().getLongCardinality() - rules.rememberMax();
    long[] oldest = oldest(queue, surplus);
    SessionRow[] read = rows.read(oldest);
    for (int i = 0; i < read.length; i++) {
      RememberedRow row = (RememberedRow) read[i];
      boolean old = now - row.completedAt() >= rules.remember().toMillis();
      if (!old && i >= surplus) {
        return false;
      }
      if (!old) {
        changes.count(queue, QueueSessions.Figure.FORGOTTEN, 1);
      }
      SlotSessions slot = queue.anySlot(row.slot());
      changes.forget(slot, slot.remembered().hash(oldest[i], row.key()), oldest[i], row.number());
    }
    return read.length == STEP;
  }

  // All that are too many; of others only as many as are probably too old.
  private long[] oldest(QueueSessions queue, long surplus) {
    PeekableLongIterator seqs = queue.remembered().getLongIterator();
    long[] oldest = new long[STEP];
    int count = 0;
    int most = (int) Math.min(STEP, Math.max(surplus, expired(queue) ? STEP : 0));
    while (count < most && seqs.hasNext()) {
      oldest[count++] = seqs.next();
    }
    return Arrays.copyOf(oldest, count);
  }

  private boolean expired(QueueSessions queue) {
    if (queue.remembered().isEmpty()) {
      return false;
    }
    return queue.oldestRemembered(
            seq -> rows.read(seq) instanceof RememberedRow row ? row.completedAt() : 0)
        <= changes.now() - queue.assignment().rules().remember().toMillis();
  }
}

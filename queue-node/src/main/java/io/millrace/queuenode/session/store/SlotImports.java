package io.millrace.queuenode.session.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.session.SessionDefinition.DuplicatePolicy;
import io.millrace.api.session.SessionNumber;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.MovedEvent;
import io.millrace.api.session.SlotPage.MovedSession;
import io.millrace.api.session.SlotPage.RememberedKey;
import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.Session.Rare;
import io.millrace.queuenode.session.store.SessionRow.RememberedRow;
import io.millrace.queuenode.session.store.SessionRow.SnapshotRow;
import io.millrace.queuenode.session.store.SlotSessions.SlotImport;
import io.millrace.queuenode.store.NewEvent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * Stores what earlier owners of slots send, and merges it when all has arrived: the events of the
 * earliest owner come first, unless the slot did not wait for them. One thread.
 */
final class SlotImports {
  private final SessionChanges changes;
  private final SlotChanges slots;
  private final SessionRows rows;
  private final RememberedKeys keys;
  private final String node;

  SlotImports(
      SessionChanges changes,
      SlotChanges slots,
      SessionRows rows,
      RememberedKeys keys,
      String node) {
    this.node = node;
    this.changes = changes;
    this.slots = slots;
    this.rows = rows;
    this.keys = keys;
  }

  /** The earlier owners of whom not all has arrived. */
  static List<String> missing(SlotSessions slot) {
    return slot.ownership().undrained().stream().filter(owner -> !isComplete(slot, owner)).toList();
  }

  static boolean isComplete(SlotSessions slot, String owner) {
    SlotImport arriving = slot.imports().get(owner);
    return arriving != null && arriving.complete();
  }

  /** Stores a part; one that was stored already is ignored. */
  void store(SlotSessions slot, SlotPage page, Wakes wakes) {
    String from = page.from();
    if (page.sending().ownerEpoch() != slot.epoch()) {
      // It is from before the slot went elsewhere and came back, or this node has not taken it yet.
      // What its giver said of it then may no longer be so: it may have had the slot in between.
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "part %d of slot %d from %s is for epoch %d; its epoch here is %d"
              .formatted(
                  page.part(), slot.number(), from, page.sending().ownerEpoch(), slot.epoch()));
    }
    if (has(slot, from, page.epoch())) {
      boolean other = slot.sealed() || slot.imports().containsKey(from);
      if (page.next() == null && !other && slot.ownership().undrained().contains(from)) {
        slots.drained(slot, from, page.epoch());
        mergeWhatIsComplete(slot, wakes);
      }
      return;
    }
    if (slot.sealed()) {
      // Parts of it that were read could not be read again. The owner still has what it sends, and
      // sends all of it to the next owner.
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "slot %d is being given away: what %s has of it goes to its next owner"
              .formatted(slot.number(), from));
    }
    if (!slot.ownership().undrained().contains(from)) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "slot %d does not wait for the sessions that %s had under epoch %d"
              .formatted(slot.number(), from, page.epoch()));
    }
    SlotImport known = slot.imports().get(from);
    if (known != null && known.complete() && known.epoch() == page.epoch()) {
      return;
    }
    boolean another = known != null && !known.belongsTo(page);
    // The giver has begun again: it may have got the slot back since, or more of it.
    boolean replaced =
        another && page.part() == 0 && !known.complete() && known.epoch() <= page.epoch();
    int stored = known == null || another ? 0 : known.parts();
    if ((another && !replaced) || page.part() > stored) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "part %d of slot %d from %s under epoch %d is not the next one; %d parts have arrived"
              .formatted(page.part(), slot.number(), from, page.epoch(), stored));
    }
    if (page.part() < stored) {
      return;
    }
    if (page.next() == null && slot.queue().rules() == null) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "the definition of '%s' is not known yet; send the part again"
              .formatted(slot.queue().name()));
    }
    if (stored > 0) {
      requireContinuation(page, known);
    }
    if (replaced) {
      slots.discard(slot, from);
    }
    slots.arriving(slot, from, page.epoch()).receive(page.sending());
    page.sessions().forEach(session -> store(slot, page, session));
    page.completed().forEach(key -> remember(slot, key));
    slots.part(slot, from, page.epoch(), page.part() + 1, page.next() == null, page.contained());
    mergeWhatIsComplete(slot, wakes);
  }

  // A session that is sent in several parts must be whole at the end, in itself and in its order.
  private static void requireContinuation(SlotPage page, SlotImport known) {
    Session continued = null;
    for (MovedSession moved : page.sessions()) {
      Session session = known.sessions().get(moved.key());
      long first = moved.events().isEmpty() ? 0 : moved.events().get(0).n();
      long expected = session == null ? moved.snapshotThrough() + 1 : session.accepted() + 1;
      requireSound(first == expected || (session == null && first == 0), page, moved.key());
      continued = session == null ? continued : session;
    }
    if (page.next() == null) {
      for (Session session : known.sessions().values()) {
        boolean whole = session == continued || session.acknowledged() <= session.accepted();
        requireSound(whole, page, session.key());
      }
    }
  }

  private static void requireSound(boolean sound, SlotPage page, String key) {
    if (!sound) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "part %d of slot %d from %s is not stored: the events of key %s do not go on where those of the parts before end"
              .formatted(page.part(), page.slot(), page.from(), ShownText.of(key)));
    }
  }

  // Whether it has all that an owner held under an epoch, merged or not.
  private static boolean has(SlotSessions slot, String owner, long epoch) {
    String holding = SlotPage.holding(owner, epoch);
    return slot.drained().contains(holding) || slot.imports().containsKey(holding);
  }

  private void store(SlotSessions slot, SlotPage page, MovedSession moved) {
    SlotImport arriving = slots.arriving(slot, page.from(), page.epoch());
    Session session = arriving.sessions().get(moved.key());
    if (session == null) {
      session = arrived(slot, moved);
      slots.arrived(session, page.from(), page.epoch());
    }
    for (MovedEvent event : moved.events()) {
      byte[] data = event.data().getBytes(StandardCharsets.UTF_8);
      changes.accept(session, new NewEvent(event.id(), data, event.attributes()), event.storedAt());
    }
  }

  private Session arrived(SlotSessions slot, MovedSession moved) {
    SessionNumber number = moved.number();
    Session session =
        new Session(slot, moved.key(), changes.book().nextSerial(), moved.openedAt(), number);
    long snapshotSeq =
        moved.snapshot() == null
            ? 0
            : rows.append(new SnapshotRow(Json.writeBytes(moved.snapshot())));
    session.restore(
        moved.acknowledged(),
        // Also one whose number is of a later opening than what workers have done of it.
        moved.assigned() || moved.acknowledged() > 0,
        new Rare(
            moved.parked(),
            snapshotSeq,
            moved.snapshotThrough(),
            moved.failed(),
            moved.attempts(),
            moved.ending() == null ? null : SessionEnding.valueOf(moved.ending())));
    // Its last event may be one that is no longer kept: it is not idle at once.
    session.restore(0, Math.max(moved.openedAt(), changes.now()));
    session.setEarlier(moved.earlierIds().stream().mapToLong(Long::longValue).toArray());
    return session;
  }

  private void remember(SlotSessions slot, RememberedKey key) {
    keys.remember(
        slot,
        new RememberedRow(
            slot.queue().number(),
            slot.number(),
            key.key(),
            key.number(),
            key.completedAt(),
            Math.max(key.epoch(), key.number().epoch()),
            key.events(),
            key.acknowledged(),
            key.outcome(),
            key.worker(),
            key.ids().stream().mapToLong(Long::longValue).toArray()));
  }

  /** The same for all slots of a queue. */
  void mergeWhatIsComplete(QueueSessions queue, Wakes wakes) {
    queue.forEachSlot(
        slot -> {
          if (!slot.imports().isEmpty()) {
            mergeWhatIsComplete(slot, wakes);
          }
        });
  }

  /**
   * Not before the queue's definition is known, which says what becomes of repetitions, and not
   * while the slot is sealed, as it may be read in parts.
   */
  static boolean mayMerge(SlotSessions slot) {
    return slot.queue().rules() != null && !slot.sealed();
  }

  /** Merges what has arrived, once all has arrived that must come before it. */
  void mergeWhatIsComplete(SlotSessions slot, Wakes wakes) {
    if (!mayMerge(slot)) {
      return;
    }
    // Of owners that the weight row no longer names, nothing more comes.
    List<String> gone = new ArrayList<>(slot.imports().keySet());
    gone.removeAll(slot.ownership().undrained());
    if (slot.ownership().waiting()) {
      if (!missing(slot).isEmpty()) {
        return;
      }
      merge(slot, slot.imports().keySet(), false, List.of());
    } else {
      List<String> owners = new ArrayList<>(slot.imports().keySet());
      owners.removeIf(owner -> !gone.contains(owner) && !isComplete(slot, owner));
      merge(slot, owners, true, slot.ownership().undrained());
    }
    slot.sessions().forEach(wakes::add);
  }

  /**
   * Merges what has arrived as a whole, and the parts of owners that are not among these, in the
   * order of the owners.
   *
   * @param undrained those that send what they have to the slot's next owner
   */
  void end(SlotSessions slot, List<String> undrained) {
    List<String> owners = new ArrayList<>(slot.imports().keySet());
    owners.removeIf(owner -> undrained.contains(owner) && !isComplete(slot, owner));
    merge(slot, owners, !slot.ownership().waiting(), undrained);
  }

  /**
   * Merges what some have sent, in the order in which they had the slot.
   *
   * @param some under what it arrived, or was set aside
   * @param coming those of whom the rest is still sent
   */
  private void merge(
      SlotSessions slot, Collection<String> some, boolean late, List<String> coming) {
    List<String> owners = new ArrayList<>(some);
    owners.sort(Comparator.comparingLong(owner -> slot.imports().get(owner).epoch()));
    if (!late) {
      // The latest one first: what comes before it is put before it.
      Collections.reverse(owners);
    }
    for (String owner : owners) {
      SlotImport arriving = slot.imports().get(owner);
      if (!isContained(slot, arriving, coming) && containsOwn(slot, arriving)) {
        removeContained(slot);
      }
    }
    for (String owner : owners) {
      SlotImport arriving = slot.imports().get(owner);
      if (!isContained(slot, arriving, coming)) {
        merge(slot, owner, arriving, late);
      }
      slots.drained(slot, owner, arriving.epoch());
    }
  }

  private void merge(SlotSessions slot, String owner, SlotImport arriving, boolean late) {
    List<Session> sessions = new ArrayList<>(arriving.sessions().values());
    judge(slot, arriving);
    if (!late) {
      Collections.reverse(sessions);
    }
    for (Session session : sessions) {
      if (isRepeated(session, ends(session))) {
        // It was opened where nobody knew that its key was completed.
        changes.count(slot.queue(), Figure.DUPLICATES, session.accepted());
        continue;
      }
      Session own = slot.sessions().get(session.key());
      long[] covered = session.earlierHashes();
      // A snapshot of its own remains, and does not have them.
      if (own != null && own.covered() == 0 && covered.length > 0) {
        removeRepeated(own, hash -> Arrays.stream(covered).anyMatch(id -> id == hash));
      }
      if (own != null && !late) {
        removeBefore(session, own);
      }
      slots.merge(session, owner, late);
      Session merged = slot.sessions().get(session.key());
      removeRepeated(merged, ends(merged));
    }
    sessions.forEach(session -> judgeArrived(slot, session));
  }

  // What both have, as parts of what arrives now had arrived elsewhere, keeps its place in what
  // comes first; but what workers have acknowledged stays acknowledged.
  private void removeBefore(Session arrived, Session own) {
    if (own.worker() != null) {
      return;
    }
    Map<Long, Integer> places = new HashMap<>();
    for (int i = 0; i < arrived.kept(); i++) {
      places.put(arrived.hash(i), i);
    }
    boolean[] both = new boolean[own.kept()];
    boolean any = false;
    for (int i = 0; i < both.length; i++) {
      Integer place = places.get(own.hash(i));
      both[i] = place != null && (!isDone(own, i) || isDone(arrived, place));
      any |= both[i];
    }
    if (any) {
      slots.removeRepeated(own, both);
    }
  }

  private static boolean isDone(Session session, int kept) {
    return session.covered() + kept < session.acknowledged();
  }

  // Whether what another owner has sent, or is to send, has it too, and is later. Of one that is
  // gone and of which only parts have arrived, that is not certain.
  private static boolean isContained(SlotSessions slot, SlotImport arriving, List<String> coming) {
    return slot.drained().contains(arriving.holding())
        || slot.imports().values().stream()
            .filter(other -> other.complete() || coming.contains(other.owner()))
            .anyMatch(other -> other.contained().contains(arriving.holding()));
  }

  // Whether it has all that this node held when it took the slot: its copy was still here.
  private boolean containsOwn(SlotSessions slot, SlotImport arriving) {
    String own = null;
    for (String holding : slot.drained()) {
      own = holding.startsWith("/") ? holding : own;
    }
    return own != null && arriving.complete() && arriving.contained().contains(node + own);
  }

  /**
   * What has become of these since is in what has arrived. Those that were given to a worker since
   * the slot was taken, as it did not wait, stay as they are: what was done is not undone.
   */
  private void removeContained(SlotSessions slot) {
    List<Session> own = slot.sessions().inOrder();
    own.removeIf(
        session ->
            session.worker() != null
                || session.acceptedBefore() == 0
                || session.number().epoch() == slot.epoch());
    for (Session session : own) {
      if (session.acceptedBefore() == session.accepted()) {
        changes.remove(session, false);
      } else {
        slots.renew(session);
      }
    }
  }

  /**
   * Sessions that are open here although the earlier owner had completed their keys: if they were
   * opened since the slot was taken, as after any other end; of older ones only what was done.
   */
  private void judge(SlotSessions slot, SlotImport arriving) {
    if (slot.remembered().size() == 0) {
      return;
    }
    List<Session> own = slot.sessions().inOrder();
    own.removeIf(session -> session.worker() != null);
    for (Session session : own) {
      List<RememberedRow> ends = ends(session);
      if (!ends.isEmpty()) {
        boolean open = arriving.sessions().containsKey(session.key());
        judge(session, ends, !open && isYounger(session, ends));
      }
    }
  }

  // One that has arrived from where nobody knew of an end of its key.
  private void judgeArrived(SlotSessions slot, Session session) {
    List<RememberedRow> ends = ends(session);
    if (slot.sessions().get(session.key()) == session && isYounger(session, ends)) {
      judge(session, ends, true);
    }
  }

  // What was remembered of its key when it was opened. How long that is, is not known before the
  // definition is: then both are sent on, and the receiver judges them.
  private List<RememberedRow> ends(Session session) {
    return session.queue().rules() == null
        ? List.of()
        : keys.all(session.slot(), session.key(), session.openedAt());
  }

  // Whether it was opened after an end of its key, by an owner that waited for what has that end:
  // no worker had it. One to which events of an earlier opening were added is as old as these.
  private static boolean isYounger(Session session, List<RememberedRow> ends) {
    return !session.assignedBefore()
        && ends.stream().anyMatch(end -> end.epoch() < session.number().epoch());
  }

  private void judge(Session session, List<RememberedRow> ends, boolean younger) {
    QueueSessions queue = session.queue();
    // A node that does not know the definition sends both on, and its receiver judges them.
    boolean reopens =
        queue.rules() == null || queue.assignment().rules().duplicates() == DuplicatePolicy.REOPEN;
    if (isRepeated(session, ends) || (younger && !reopens)) {
      changes.count(queue, Figure.DUPLICATES, session.accepted());
      changes.remove(session, false);
    } else {
      changes.count(queue, Figure.DUPLICATES, younger ? 1 : 0);
      removeRepeated(session, ends);
    }
  }

  // Whether nothing is known of it that was not done when its key was completed.
  private static boolean isRepeated(Session session, List<RememberedRow> ends) {
    long[] ids = ends.isEmpty() ? new long[0] : session.lastHashes(Integer.MAX_VALUE);
    return ids.length > 0 && Arrays.stream(ids).allMatch(hash -> RememberedKeys.knows(ends, hash));
  }

  // What was done when its key was completed.
  private void removeRepeated(Session session, List<RememberedRow> ends) {
    if (!ends.isEmpty()) {
      removeRepeated(session, hash -> RememberedKeys.knows(ends, hash));
    }
  }

  // Removes events from a session without a worker; what a snapshot of it covers stays.
  private void removeRepeated(Session session, LongPredicate done) {
    if (session.worker() != null) {
      return;
    }
    boolean[] repeated = new boolean[session.kept()];
    int count = 0;
    for (int i = 0; i < repeated.length; i++) {
      repeated[i] = done.test(session.hash(i));
      count += repeated[i] ? 1 : 0;
    }
    if (count == repeated.length && session.covered() == 0) {
      changes.count(session.queue(), Figure.DUPLICATES, count);
      changes.remove(session, false);
    } else if (count > 0) {
      slots.removeRepeated(session, repeated);
    }
  }
}

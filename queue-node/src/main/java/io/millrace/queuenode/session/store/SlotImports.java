package io.millrace.queuenode.session.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
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
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

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
    if (has(slot, from, page.epoch())) {
      if (page.next() == null && slot.ownership().undrained().contains(from)) {
        slots.drained(slot, from, page.epoch());
        mergeWhatIsComplete(slot, wakes);
      }
      return;
    }
    if (slot.epoch() <= page.epoch() || !slot.ownership().undrained().contains(from)) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "slot %d does not wait for the sessions that %s had under epoch %d; its epoch here is %d"
              .formatted(slot.number(), from, page.epoch(), slot.epoch()));
    }
    SlotImport known = slot.imports().get(from);
    boolean replaced = known != null && !known.complete() && known.epoch() < page.epoch();
    int stored = known == null || replaced ? 0 : known.parts();
    boolean other = known != null && !replaced && known.epoch() != page.epoch();
    if (other || page.part() > stored) {
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
    if (replaced) {
      // The giver has got the slot back since, and sends all of it again.
      slots.discard(slot, from);
    }
    page.sessions().forEach(session -> store(slot, page, session));
    page.completed().forEach(key -> remember(slot, key));
    slots.part(slot, from, page.epoch(), page.part() + 1, page.next() == null, page.contained());
    mergeWhatIsComplete(slot, wakes);
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
        moved.attempts(),
        number.handover() > 0,
        new Rare(moved.parked(), snapshotSeq, moved.snapshotThrough(), null));
    // Its last event may be one that is no longer kept: it is not idle at once.
    session.restore(0, Math.max(moved.openedAt(), changes.now()));
    session.setEarlier(moved.earlierIds().stream().mapToLong(Long::longValue).toArray());
    return session;
  }

  private void remember(SlotSessions slot, RememberedKey key) {
    changes.remember(
        new RememberedRow(
            slot.queue().number(),
            slot.number(),
            key.key(),
            key.number(),
            key.completedAt(),
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
   * Merges what has arrived, once all has arrived that must come before it; but not before the
   * queue's definition is known, which says what becomes of repetitions.
   */
  void mergeWhatIsComplete(SlotSessions slot, Wakes wakes) {
    if (slot.queue().rules() == null) {
      return;
    }
    // Of owners that the weight row no longer names, nothing more comes.
    List<String> gone = new ArrayList<>(slot.imports().keySet());
    gone.removeAll(slot.ownership().undrained());
    if (slot.ownership().waiting()) {
      if (!missing(slot).isEmpty()) {
        return;
      }
      // The latest owner first: what comes before it is put before it.
      List<String> owners = new ArrayList<>(gone);
      owners.addAll(slot.ownership().undrained());
      Collections.reverse(owners);
      owners.forEach(owner -> merge(slot, owner, false));
    } else {
      for (String owner : List.copyOf(slot.imports().keySet())) {
        if (gone.contains(owner) || isComplete(slot, owner)) {
          merge(slot, owner, true);
        }
      }
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
    List<String> known = slot.ownership().undrained();
    List<String> owners = new ArrayList<>(slot.imports().keySet());
    owners.removeIf(owner -> undrained.contains(owner) && !isComplete(slot, owner));
    owners.sort(Comparator.comparingInt((String owner) -> known.indexOf(owner)).reversed());
    owners.forEach(owner -> merge(slot, owner, !slot.ownership().waiting()));
  }

  private void merge(SlotSessions slot, String owner, boolean late) {
    SlotImport arriving = slot.imports().get(owner);
    if (arriving == null) {
      return;
    }
    if (isContained(slot, arriving)) {
      slots.drained(slot, owner, arriving.epoch());
      return;
    }
    if (!late && containsOwn(slot, arriving)) {
      removeContained(slot);
    }
    List<Session> sessions = new ArrayList<>(arriving.sessions().values());
    judge(slot, arriving);
    if (!late) {
      Collections.reverse(sessions);
    }
    for (Session session : sessions) {
      slots.merge(session, owner, late);
    }
    judge(slot, sessions, session -> false);
    slots.drained(slot, owner, arriving.epoch());
  }

  // Whether what another owner has sent has it too, and is later.
  private static boolean isContained(SlotSessions slot, SlotImport arriving) {
    return slot.drained().contains(arriving.holding())
        || slot.imports().values().stream()
            .anyMatch(other -> other.contained().contains(arriving.holding()));
  }

  // Whether it has all that this node held when it took the slot: its copy was still here.
  private boolean containsOwn(SlotSessions slot, SlotImport arriving) {
    String own = null;
    for (String holding : slot.drained()) {
      own = holding.startsWith("/") ? holding : own;
    }
    return own != null && arriving.contained().contains(node + own);
  }

  // What has become of these since is in what has arrived.
  private void removeContained(SlotSessions slot) {
    List<Session> own = new ArrayList<>();
    slot.sessions().forEach(own::add);
    own.removeIf(session -> session.worker() != null);
    for (Session session : own) {
      boolean untouched = !session.assignedBefore() && session.covered() == 0;
      if (session.acceptedBefore() == session.accepted()) {
        changes.remove(session, false);
      } else if (session.acceptedBefore() > 0 && untouched) {
        boolean[] gone = new boolean[session.kept()];
        Arrays.fill(gone, 0, (int) session.acceptedBefore(), true);
        slots.removeRepeated(session, gone);
      }
    }
  }

  // Sessions that were opened here although the earlier owner had completed their keys.
  private void judge(SlotSessions slot, SlotImport arriving) {
    List<Session> own = new ArrayList<>();
    slot.sessions().forEach(own::add);
    own.removeIf(session -> arriving.sessions().containsKey(session.key()));
    // All that these have was accepted under the present epoch.
    judge(slot, own, session -> session.acceptedBefore() == 0);
  }

  /**
   * Removes of open sessions those whose keys were completed before they were opened, by an owner
   * of whom not all had arrived where they were opened. None of them had a worker: the slot waited.
   *
   * @param younger those of which nothing can be older than a completed key
   */
  private void judge(SlotSessions slot, List<Session> sessions, Predicate<Session> younger) {
    if (slot.remembered().size() == 0) {
      return;
    }
    for (Session session : sessions) {
      if (!session.assignedBefore() && slot.sessions().get(session.key()) == session) {
        keys.find(slot, session.key())
            .filter(row -> row.number().epoch() < session.number().epoch() || younger.test(session))
            .ifPresent(row -> judge(session, row));
      }
    }
  }

  private void judge(Session session, RememberedRow row) {
    QueueSessions queue = session.queue();
    boolean[] repeated = new boolean[session.kept()];
    boolean any = false;
    boolean all = true;
    for (int i = 0; i < repeated.length; i++) {
      repeated[i] = row.knows(session.hash(i));
      any |= repeated[i];
      all &= repeated[i];
    }
    boolean reopens = queue.assignment().rules().duplicates() == DuplicatePolicy.REOPEN;
    if (all || !reopens) {
      changes.count(queue, Figure.DUPLICATES, session.accepted());
      changes.remove(session, false);
      return;
    }
    changes.count(queue, Figure.DUPLICATES, 1);
    if (any) {
      slots.removeRepeated(session, repeated);
    }
  }
}

package io.millrace.queuenode.session.store;

import io.millrace.api.session.SlotPage;
import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.SlotSessions.Ownership;
import io.millrace.queuenode.session.store.SlotSessions.SlotImport;
import io.millrace.queuenode.store.UndoList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The changes of slots: who has them, and what arrives from their earlier owners. Each is made in
 * memory and, unless the log is being replayed, written to it. One thread; changes can be undone.
 */
final class SlotChanges {
  private final SessionChanges changes;
  private final SessionBook book;
  private final UndoList undo;
  // Null while the log is replayed.
  private SessionRecords records;

  SlotChanges(SessionChanges changes) {
    this.changes = changes;
    this.book = changes.book();
    this.undo = book.undo();
  }

  void writeTo(SessionRecords to) {
    records = to;
  }

  private boolean written() {
    return records != null;
  }

  /** Changes how the node has a slot; its sessions are assigned or not accordingly. */
  void own(SlotSessions slot, Ownership ownership) {
    if (ownership.epoch() != slot.epoch()) {
      slot.setHandovers(0);
      if (slot.epoch() > 0 && ownership.epoch() > 0) {
        slot.addDrained(List.of(SlotPage.holding("", slot.epoch())));
      }
      setAside(slot);
      slot.sessions().forEach(one -> one.setAcceptedBefore(one.accepted(), undo));
    }
    boolean sealed = slot.sealed();
    slot.own(ownership);
    if (ownership.sealed() != sealed) {
      keepRemembered(slot);
    }
    settle(slot);
    if (written()) {
      records.slot(slot, ownership);
    }
  }

  // Keys of a sealed slot are not forgotten, or the parts of its transfer would shift.
  private void keepRemembered(SlotSessions slot) {
    for (long row : slot.remembered().rows()) {
      changes.forgettable(slot.queue(), row, !slot.sealed());
    }
  }

  // Under the new epoch earlier owners say anew that they have sent all: they may have got more.
  private void setAside(SlotSessions slot) {
    for (Map.Entry<String, SlotImport> one : List.copyOf(slot.imports().entrySet())) {
      if (one.getValue().complete()) {
        undo.set(slot.imports(), one.getKey(), null);
        undo.set(slot.imports(), one.getValue().holding(), one.getValue());
      }
    }
  }

  private void settle(SlotSessions slot) {
    book.touch(slot.queue());
    slot.queue().assignment().settle(slot);
    if (written()) {
      slot.sessions().inOrder().forEach(changes::noteDelivery);
    }
  }

  /** Removes what a slot holds, and that the node has it. */
  void empty(SlotSessions slot) {
    QueueSessions queue = slot.queue();
    for (Session session : slot.sessions().inOrder()) {
      changes.count(session, -1);
      queue.assignment().remove(session);
      slot.sessions().remove(session);
      drop(session);
    }
    slot.imports().values().forEach(arrived -> arrived.sessions().values().forEach(this::drop));
    List.copyOf(slot.imports().keySet()).forEach(from -> undo.set(slot.imports(), from, null));
    List<long[]> keys = new ArrayList<>();
    slot.remembered().forEach((hash, seq) -> keys.add(new long[] {hash, seq}));
    for (long[] key : keys) {
      slot.remembered().remove(key[0], key[1]);
      changes.forgettable(queue, key[1], false);
      changes.count(queue, Figure.REMEMBERED, -1);
      book.free(key[1]);
    }
    slot.own(Ownership.NONE);
    slot.setDrained(List.of());
    slot.setHandovers(0);
    if (written()) {
      records.emptied(slot);
    }
  }

  private void drop(Session session) {
    changes.freeRows(session);
    book.forgetReplayed(session);
  }

  /** What has arrived of an earlier owner. */
  SlotImport arriving(SlotSessions slot, String from, long epoch) {
    SlotImport arriving = slot.imports().get(from);
    if (arriving == null) {
      arriving = new SlotImport(from, epoch);
      undo.set(slot.imports(), from, arriving);
    }
    return arriving;
  }

  /** Adds a session that has arrived; its events follow, and it is not open until it is merged. */
  void arrived(Session session, String from, long epoch) {
    undo.set(arriving(session.slot(), from, epoch).sessions(), session.key(), session);
    book.touch(session.queue());
    if (written()) {
      records.imported(session, from, epoch);
    }
  }

  /** Notes that parts of what an earlier owner has have arrived. */
  void part(
      SlotSessions slot,
      String from,
      long epoch,
      int parts,
      boolean complete,
      List<String> contained) {
    SlotImport arriving = arriving(slot, from, epoch);
    arriving.setParts(parts, complete, undo);
    arriving.setContained(contained, undo);
    if (written()) {
      records.part(slot, from, arriving);
    }
  }

  /** Removes what has arrived of an earlier owner, who sends it again. */
  void discard(SlotSessions slot, String from) {
    slot.imports().get(from).sessions().values().forEach(this::drop);
    undo.set(slot.imports(), from, null);
    book.touch(slot.queue());
    if (written()) {
      records.discarded(slot, from);
    }
  }

  /**
   * Opens a session that has arrived; if one with its key is open, one of both remains: the events
   * of the earlier owner come before those that were accepted since the slot was taken and that no
   * worker has had. What its workers have acknowledged, and the snapshot if there is no other,
   * comes first, as a successor needs it; if a worker has the session, it comes with the other
   * events.
   */
  void merge(Session arrived, String from, boolean late) {
    Session own = arrived.slot().sessions().get(arrived.key());
    long after = 0;
    if (own != null) {
      long had = Math.max(own.covered(), Math.max(own.acknowledged(), own.delivered()));
      after = late ? own.accepted() : Math.max(own.acceptedBefore(), had);
    }
    merge(arrived, from, late, after);
  }

  /** The same, after that event of its own. */
  void merge(Session arrived, String from, boolean late, long after) {
    SlotSessions slot = arrived.slot();
    undo.set(slot.imports().get(from).sessions(), arrived.key(), null);
    arrived.endWithAccepted(undo);
    Session own = slot.sessions().get(arrived.key());
    if (own == null) {
      open(arrived, !late);
      lateEvents(slot, late ? arrived.unacknowledged() : 0);
    } else if (late || own.assignedBefore() || own.acceptedBefore() > 0) {
      insert(own, arrived, after, late);
    } else {
      changes.count(own, -1);
      slot.queue().assignment().remove(own);
      slot.sessions().remove(own);
      move(own, arrived, 0, own.kept(), arrived.accepted(), false);
      if (arrived.unacknowledged() > 0) {
        keepOpen(arrived);
      }
      open(arrived, true);
      book.forgetReplayed(own);
    }
    if (written()) {
      records.merged(arrived, from, late, after);
    }
  }

  private void open(Session arrived, boolean first) {
    arrived.slot().sessions().put(arrived);
    arrived.queue().assignment().add(arrived, first);
    changes.count(arrived, 1);
  }

  private void insert(Session own, Session arrived, long after, boolean late) {
    changes.count(own, -1);
    long before = own.accepted();
    long open = own.unacknowledged();
    int kept = arrived.kept();
    // A worker knows its events by their numbers: nothing can be put before them.
    boolean numbered = own.worker() != null;
    int done = numbered ? 0 : (int) Math.max(0, arrived.acknowledged() - arrived.covered());
    if (numbered || own.covered() > 0 || arrived.covered() == 0) {
      freeSnapshot(arrived);
    } else {
      own.insertSnapshot(arrived.rare(), arrived.earlierHashes(), undo);
    }
    move(arrived, own, 0, done, own.covered(), true);
    long front = own.accepted() - before;
    move(arrived, own, done, kept, Math.min(after + front, own.accepted()), false);
    if (late) {
      // What comes first now was not here when the slot was taken.
      own.setAcceptedBefore(front > 0 ? 0 : own.acceptedBefore(), undo);
      long behind = own.accepted() - before - front;
      if (behind > 0) {
        own.setAsOldAs(arrived, undo);
      }
      lateEvents(own.slot(), behind);
    }
    if (own.unacknowledged() > open) {
      keepOpen(own);
      own.queue().assignment().settle(own);
    }
    changes.count(own, 1);
    changes.noteDelivery(own);
    book.forgetReplayed(arrived);
  }

  private void keepOpen(Session session) {
    if (session.ending() != null && session.ending().keptOpenByEvents()) {
      session.setEnding(null, undo);
    }
  }

  private void freeSnapshot(Session session) {
    if (session.rare().snapshotSeq() != 0) {
      book.free(session.rare().snapshotSeq());
    }
  }

  // Moves some of the kept events to another session, which may have had them already: after one
  // of its events, or before all of them as acknowledged ones.
  private void move(Session from, Session to, int first, int last, long after, boolean done) {
    long size = from.kept() == 0 ? 0 : from.bytes() / from.kept();
    long[] seqs = new long[last - first];
    long[] hashes = new long[seqs.length];
    int moved = 0;
    for (int i = first; i < last; i++) {
      if (to.knows(from.hash(i))) {
        book.free(from.seq(i));
        duplicates(to.slot(), 1);
      } else {
        seqs[moved] = from.seq(i);
        hashes[moved++] = from.hash(i);
      }
    }
    if (moved == 0) {
      return;
    }
    seqs = Arrays.copyOf(seqs, moved);
    hashes = Arrays.copyOf(hashes, moved);
    if (done) {
      to.insertDone(seqs, hashes, moved * size, undo);
    } else {
      to.insert(after, seqs, hashes, moved * size, undo);
    }
    to.heardOf(from, undo);
  }

  /**
   * Removes what a session without a worker had when its slot was taken: the node that had the slot
   * meanwhile has sent it too, and what became of it there. Only what was accepted since is left.
   */
  void renew(Session session) {
    changes.count(session, -1);
    long before = session.unacknowledged();
    book.free(session.seqs(0, (int) (session.acceptedBefore() - session.covered())));
    freeSnapshot(session);
    session.renew(undo);
    changes.count(session.slot().queue(), Figure.DROPPED, before - session.unacknowledged());
    session.queue().assignment().settle(session);
    changes.count(session, 1);
    if (written()) {
      records.renewed(session);
    }
  }

  /** Removes events of a session that its key's earlier session has had; others are renumbered. */
  void removeRepeated(Session session, boolean[] gone) {
    changes.count(session, -1);
    for (int i = 0; i < gone.length; i++) {
      if (gone[i]) {
        book.free(session.seq(i));
        duplicates(session.slot(), 1);
      }
    }
    session.removeRepeated(gone, undo);
    changes.count(session, 1);
    if (written()) {
      records.repeated(session, gone);
    }
  }

  private void lateEvents(SlotSessions slot, long events) {
    if (written()) {
      changes.count(slot.queue(), Figure.LATE, events);
    }
  }

  private void duplicates(SlotSessions slot, long events) {
    if (written()) {
      changes.count(slot.queue(), Figure.DUPLICATES, events);
    }
  }

  /**
   * Notes that all of an earlier owner's has arrived and was merged; what was not merged is
   * removed, as another one's contains it. What is set aside is merged later, and nobody else's
   * holding is noted of one of which only parts have arrived.
   *
   * @param from the owner, or the name under which what arrived was set aside
   */
  void drained(SlotSessions slot, String from, long epoch) {
    SlotImport arrived = slot.imports().get(from);
    String holding = SlotPage.holding(from, epoch);
    if (arrived != null) {
      arrived.sessions().values().forEach(this::drop);
      undo.set(slot.imports(), from, null);
      if (arrived.complete()) {
        slot.addDrained(arrived.contained());
        slot.addDrained(List.of(arrived.holding()));
      }
    } else if (!slot.imports().containsKey(holding)) {
      slot.addDrained(List.of(holding));
    }
    slot.own(slot.ownership().drained(from));
    settle(slot);
    if (written()) {
      records.drained(slot, from, epoch);
    }
  }
}

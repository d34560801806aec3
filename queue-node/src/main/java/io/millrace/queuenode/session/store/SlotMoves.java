package io.millrace.queuenode.session.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import io.millrace.queuenode.session.store.SlotSessions.Ownership;
import java.util.ArrayList;
import java.util.List;

/** Takes slots, and gives them away. One thread. */
final class SlotMoves {
  private final SessionChanges changes;
  private final SlotChanges slots;
  private final SlotImports imports;
  private final RememberedKeys keys;

  SlotMoves(SessionChanges changes, SlotChanges slots, SlotImports imports, RememberedKeys keys) {
    this.keys = keys;
    this.changes = changes;
    this.slots = slots;
    this.imports = imports;
  }

  List<HeldSlot> held(QueueSessions queue) {
    List<HeldSlot> held = new ArrayList<>();
    queue.forEachSlot(
        slot -> {
          if (slot.epoch() > 0 || !slot.isEmpty()) {
            held.add(
                new HeldSlot(
                    slot.number(),
                    slot.epoch(),
                    slot.sealed(),
                    slot.waits(),
                    slot.ownership().holding(),
                    SlotImports.missing(slot),
                    slot.sessions().size(),
                    slot.remembered().size(),
                    slot.assigned()));
          }
        });
    return held;
  }

  void take(QueueSessions queue, List<GrantedSlot> granted, long holdUntil, Wakes wakes) {
    boolean hold = changes.nanos() - holdUntil < 0;
    for (GrantedSlot one : granted) {
      SlotSessions slot = queue.anySlot(one.slot());
      if (one.epoch() > slot.epoch()) {
        slots.own(
            slot,
            new Ownership(
                one.epoch(), false, hold, one.waitForThem(), List.copyOf(one.undrained())));
      } else if (one.epoch() == slot.epoch()) {
        again(slot, one);
      }
      if (slot.ownership().holding()) {
        slot.hold(holdUntil);
      }
      imports.mergeWhatIsComplete(slot, wakes);
    }
  }

  private void again(SlotSessions slot, GrantedSlot granted) {
    // Those of whom all has arrived are kept until it is merged, in their order.
    List<String> undrained = new ArrayList<>(slot.ownership().undrained());
    undrained.removeIf(
        owner -> !granted.undrained().contains(owner) && !SlotImports.isComplete(slot, owner));
    own(slot, slot.ownership().of(undrained, slot.ownership().waiting()));
    List<String> missing = SlotImports.missing(slot);
    // With nothing missing the wait ends by merging. What is worked on without them does not wait
    // for them again.
    boolean ends = slot.ownership().waiting() && !granted.waitForThem() && !missing.isEmpty();
    if (ends && SlotImports.mayMerge(slot)) {
      // Of others, what has arrived has arrived in time.
      imports.end(slot, missing);
      own(slot, slot.ownership().of(slot.ownership().undrained(), false));
    }
  }

  private void own(SlotSessions slot, Ownership changed) {
    if (!changed.equals(slot.ownership())) {
      slots.own(slot, changed);
    }
  }

  void hold(QueueSessions queue, List<Integer> numbers, long until) {
    for (int number : numbers) {
      SlotSessions slot = queue.slot(number);
      if (slot != null && slot.epoch() > 0) {
        own(slot, slot.ownership().held());
        slot.hold(until);
      }
    }
  }

  void seal(QueueSessions queue, List<Integer> numbers, Wakes wakes) {
    for (int number : numbers) {
      SlotSessions slot = queue.slot(number);
      if (slot != null && slot.epoch() > 0 && !slot.sealed()) {
        slots.own(slot, slot.ownership().withSealed(true));
        for (SessionWorker worker : queue.assignment().employed()) {
          if (worker.revoked().size() > 0) {
            wakes.add(queue, worker);
          }
        }
      }
    }
  }

  void unseal(QueueSessions queue, List<Integer> numbers, Wakes wakes) {
    for (int number : numbers) {
      SlotSessions slot = queue.slot(number);
      if (slot != null && slot.sealed()) {
        slots.own(slot, slot.ownership().withSealed(false));
        slot.sessions().forEach(wakes::add);
      }
    }
  }

  /**
   * Takes sessions back from workers that certainly no longer work on them; they wait first, in
   * their order.
   */
  void takeBackRevoked(QueueSessions queue) {
    if (queue.rules() == null) {
      return;
    }
    long stopped = queue.rules().stopped().toNanos();
    long now = changes.nanos();
    for (SessionWorker worker : queue.assignment().employed()) {
      // From the last one to the front: their order stays.
      while (worker.revoked().size() > 0 && worker.hasStopped(now, stopped)) {
        Session one = worker.revoked().last();
        changes.takeBack(one, true, "its worker did not give it back in time");
        keys.endIfDue(one);
      }
    }
  }

  /**
   * Merges what has arrived of a sealed slot, as far as its earlier owners do not send it again.
   */
  void endArrivals(QueueSessions queue, int number, List<String> undrained) {
    SlotSessions slot = queue.slot(number);
    if (slot != null && slot.sealed()) {
      imports.end(slot, undrained);
    }
  }

  /** The slot, which must be sealed and with no worker. */
  SlotSessions exportable(QueueSessions queue, int number) {
    SlotSessions slot = queue.slot(number);
    if (slot == null || !slot.sealed()) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "slot %d of '%s' is not sealed; seal it before its sessions are sent to its new owner"
              .formatted(number, queue.name()));
    }
    if (slot.imports().values().stream().anyMatch(SlotSessions.SlotImport::complete)) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "sessions of slot %d of '%s' from %s are not merged yet; end their arrival first"
              .formatted(number, queue.name(), slot.imports().keySet()));
    }
    if (slot.assigned() > 0 && !allHaveStopped(queue, slot)) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          "workers still have %d sessions of slot %d of '%s'; ask again when they have given them"
                  .formatted(slot.assigned(), number, queue.name())
              + " back or their deadline has passed");
    }
    takeBackRevoked(queue);
    endDue(slot);
    return slot;
  }

  // The next owner does not know of it.
  private void endDue(SlotSessions slot) {
    List<Session> due = new ArrayList<>();
    for (Session one = slot.held().first(); one != null; one = slot.held().after(one)) {
      if (one.ending() != null) {
        due.add(one);
      }
    }
    due.forEach(keys::endIfDue);
  }

  private boolean allHaveStopped(QueueSessions queue, SlotSessions slot) {
    if (queue.rules() == null) {
      return false;
    }
    long now = changes.nanos();
    long within = queue.rules().stopped().toNanos();
    boolean[] stopped = {true};
    slot.sessions()
        .forEach(
            session ->
                stopped[0] &= session.worker() == null || session.worker().hasStopped(now, within));
    return stopped[0];
  }

  void exported(QueueSessions queue, int number, long epoch) {
    SlotSessions slot = queue.slot(number);
    if (slot != null && slot.sealed() && slot.epoch() == epoch) {
      slots.empty(slot);
    }
  }

  /** Lets slots be assigned from whose earlier owners' workers have certainly stopped. */
  void endHolds(QueueSessions queue, Wakes wakes) {
    long now = changes.nanos();
    queue.forEachSlot(
        slot -> {
          if (slot.ownership().holding() && slot.heldLongEnough(now)) {
            slots.own(slot, slot.ownership().released());
            slot.sessions().forEach(wakes::add);
          }
        });
  }
}

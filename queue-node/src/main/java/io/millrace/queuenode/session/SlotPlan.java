package io.millrace.queuenode.session;

import io.millrace.api.Pure;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.api.session.SlotTable.SlotRange;
import io.millrace.queuenode.session.store.SessionStore.GrantedSlot;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What a node has to do so that it holds the slots of a queue that the weight row gives to it, and
 * no others. Pure.
 *
 * @param takes slots to take, from living owners or from nobody
 * @param takesFromLost slots to take of which an earlier owner is lost
 * @param kept slots that are held as the row says
 * @param changed held slots of which the row no longer names an earlier owner
 * @param releases held slots that wait although all missing earlier owners are lost, and lost ones
 *     are not to be waited for
 * @param unreachable missing earlier owners of held slots that wait, which are lost or were given
 *     up: their workers may still be at work
 * @param seals slots that the row gives to others and that are still served here
 * @param exports slots whose workers have gone, to be sent to their owners
 * @param waiting whether there are slots to send with sessions that workers still have
 * @param sealedHere sealed slots that the row still gives to this node
 * @param absent slots that the row expects this node to send, and of which it holds nothing
 * @param copies what is left here of slots of which the row says no more that this node has to send
 *     them: all of it has arrived, or it was given up
 * @param drained by earlier owner: slots of this node whose events have all arrived, which the row
 *     does not say yet, with their epochs
 */
@Pure
record SlotPlan(
    List<GrantedSlot> takes,
    List<GrantedSlot> takesFromLost,
    List<GrantedSlot> kept,
    List<GrantedSlot> changed,
    List<GrantedSlot> releases,
    List<UnreachableOwner> unreachable,
    List<Integer> seals,
    List<DueExport> exports,
    boolean waiting,
    List<Integer> sealedHere,
    List<DueExport> absent,
    List<Copy> copies,
    Map<String, Map<Integer, Long>> drained) {

  /**
   * A slot that is to be sent to its owner.
   *
   * @param epoch under which it is, or was, held here
   * @param ownerEpoch under which the owner has it
   * @param undrained the earlier owners that the row names, this node possibly among them
   */
  record DueExport(int slot, long epoch, String owner, long ownerEpoch, List<String> undrained) {}

  /** An earlier owner of a slot that does not say when its workers have stopped. */
  record UnreachableOwner(int slot, long epoch, String owner) {}

  /** What is left here of a slot of another owner. */
  record Copy(HeldSlot held, SlotOwner owner) {
    boolean isEmpty() {
      return held.sessions() == 0 && held.remembered() == 0 && held.undrained().isEmpty();
    }

    DueExport export() {
      return new DueExport(
          held.slot(), held.epoch(), owner.node(), owner.epoch(), owner.undrained());
    }
  }

  /**
   * The plan.
   *
   * @param node this node's name
   * @param table of the row
   * @param held by this node
   * @param lost whether a node is lost
   * @param waitForLost whether nothing is assigned until the events of a lost node have arrived
   */
  static SlotPlan of(
      String node,
      SlotTable table,
      List<HeldSlot> held,
      Predicate<String> lost,
      boolean waitForLost) {
    SlotPlan plan =
        new SlotPlan(
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            held.stream().anyMatch(one -> one.sealed() && one.withWorkers() > 0),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new HashMap<>());
    Map<Integer, HeldSlot> bySlot =
        held.stream().collect(Collectors.toMap(HeldSlot::slot, one -> one));
    for (int slot : table.slotsOf(node)) {
      plan.own(slot, table.owner(slot), bySlot.get(slot), lost, waitForLost);
    }
    for (SlotRange range : table.ranges()) {
      plan.absent(node, range, bySlot.keySet());
    }
    for (HeldSlot one : held) {
      SlotOwner owner = table.owner(one.slot());
      // A row that is older than what is held says nothing about it.
      if (!owner.node().equals(node) && owner.epoch() > one.epoch()) {
        plan.foreign(node, one, owner);
      }
    }
    return plan;
  }

  private void own(
      int slot, SlotOwner owner, HeldSlot held, Predicate<String> lost, boolean waitForLost) {
    boolean anyLost = owner.undrained().stream().anyMatch(lost);
    // Living owners send what they have; until then their workers may still work on it.
    boolean waits =
        owner.undrained().stream().anyMatch(earlier -> waitForLost || !lost.test(earlier));
    if (held == null || held.epoch() < owner.epoch()) {
      (anyLost ? takesFromLost : takes)
          .add(new GrantedSlot(slot, owner.epoch(), owner.undrained(), waits));
      return;
    }
    if (held.epoch() > owner.epoch()) {
      return;
    }
    if (held.sealed()) {
      sealedHere.add(slot);
    }
    for (String earlier : held.undrained()) {
      if (held.waiting() && (lost.test(earlier) || !owner.undrained().contains(earlier))) {
        unreachable.add(new UnreachableOwner(slot, owner.epoch(), earlier));
      }
    }
    List<String> missing = new ArrayList<>(held.undrained());
    missing.retainAll(owner.undrained());
    GrantedSlot waiting =
        new GrantedSlot(slot, owner.epoch(), owner.undrained(), !missing.isEmpty());
    // Of one that is not missing here, the row says nothing any more: it was rescued, or given up.
    (missing.size() < held.undrained().size() ? changed : kept).add(waiting);
    boolean allLost = !missing.isEmpty() && missing.stream().allMatch(lost);
    if (held.waiting() && allLost && !waitForLost) {
      releases.add(new GrantedSlot(slot, owner.epoch(), owner.undrained(), false));
    }
    for (String earlier : owner.undrained()) {
      if (!held.undrained().contains(earlier)) {
        drained.computeIfAbsent(earlier, name -> new HashMap<>()).put(slot, owner.epoch());
      }
    }
  }

  /**
   * Slots that this node had and sent to an owner that has lost them since, or never had: their
   * owner waits for a word of it all the same.
   */
  private void absent(String node, SlotRange range, Set<Integer> held) {
    SlotOwner owner = range.owner();
    if (!owner.node().equals(node) && owner.undrained().contains(node)) {
      for (int slot = range.from(); slot <= range.to(); slot++) {
        if (!held.contains(slot)) {
          absent.add(
              new DueExport(slot, owner.epoch() - 1, owner.node(), owner.epoch(), List.of()));
        }
      }
    }
  }

  private void foreign(String node, HeldSlot held, SlotOwner owner) {
    if (!held.sealed()) {
      // Also if its events were given up: they must not be served here beside the owner.
      seals.add(held.slot());
    } else if (held.withWorkers() == 0) {
      Copy copy = new Copy(held, owner);
      if (owner.undrained().contains(node)) {
        exports.add(copy.export());
      } else {
        copies.add(copy);
      }
    }
  }

  /** Whether the node has to look again although the row has not changed. */
  boolean unfinished() {
    return waiting
        || !seals.isEmpty()
        || !exports.isEmpty()
        || !sealedHere.isEmpty()
        || !drained.isEmpty()
        || !releases.isEmpty()
        || !absent.isEmpty()
        || !copies.isEmpty();
  }
}

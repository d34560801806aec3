package io.millrace.queuenode.rescue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MessageText;
import io.millrace.api.MillraceException;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.api.session.SlotTable;
import io.millrace.api.session.SlotTable.SlotOwner;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.data.NodeIdFile;
import io.millrace.platform.lifecycle.Waiter;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Sends the sessions of a dead host to the nodes that have its slots now, as the host would do if
 * it returned (M-01, M-13). A slot is removed from the dead store when its owner has stored all of
 * it, so that a rescue can be interrupted and repeated at any time: a part that has arrived already
 * is ignored. One thread at a time; blocks.
 */
public final class SessionRescue {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Set<ErrorCode> PASSING =
      EnumSet.of(
          ErrorCode.STALE_SLOT,
          ErrorCode.CONFLICT,
          ErrorCode.RATE_LIMITED,
          ErrorCode.DISK_FULL,
          ErrorCode.UNREACHABLE,
          ErrorCode.UNAVAILABLE,
          ErrorCode.TIMEOUT);

  private final Path dataDirectory;
  private final SlotOwners owners;
  private final Duration patience;
  private final RescueWatch watch;
  private final Clock clock;
  private final Waiter waiter = new Waiter();
  private final Map<String, Count> counts = new TreeMap<>();
  // The node's name in the cluster, and the slots of the queue at hand as last seen.
  private String node;
  private SlotTable table;

  private static final class Count {
    private final int slots;
    private final long sessions;
    private final long events;
    private final List<String> troubles = new ArrayList<>();

    Count(DeadSessions store, String queue) {
      slots = store.slots(queue).size();
      sessions = sessions(store, queue);
      events = store.unfinished(queue);
    }

    static long sessions(DeadSessions store, String queue) {
      return store.slots(queue).stream().mapToLong(HeldSlot::sessions).sum();
    }
  }

  /**
   * A rescue that has not started.
   *
   * @param dataDirectory of the lost queue node
   * @param patience how long a slot waits to be accepted
   */
  public SessionRescue(
      Path dataDirectory, SlotOwners owners, Duration patience, RescueWatch watch, Clock clock) {
    this.dataDirectory = dataDirectory;
    this.owners = owners;
    this.patience = patience;
    this.watch = watch;
    this.clock = clock;
  }

  /**
   * Reports what would be sent, without asking the cluster. The store is opened but not changed.
   */
  public List<RescuedSessions> inspect() {
    if (!DeadSessions.in(dataDirectory)) {
      return List.of();
    }
    try (DeadSessions store = DeadSessions.open(dataDirectory, clock)) {
      count(store);
      return results(store);
    }
  }

  /**
   * Sends all sessions that other nodes wait for.
   *
   * @return the outcome of each queue, with the reason if anything of it is left
   * @throws MillraceException STORE_FAILURE if the dead store is in use or cannot be read
   */
  public List<RescuedSessions> run() throws InterruptedException {
    if (!DeadSessions.in(dataDirectory)) {
      return List.of();
    }
    try (DeadSessions store = DeadSessions.open(dataDirectory, clock)) {
      count(store);
      for (String queue : counts.keySet()) {
        try {
          sendQueue(store, queue);
        } catch (MillraceException e) {
          counts.get(queue).troubles.add(e.getMessage());
        }
      }
      return results(store);
    }
  }

  private void count(DeadSessions store) {
    store.queues().forEach(queue -> counts.put(queue, new Count(store, queue)));
  }

  private void sendQueue(DeadSessions store, String queue) throws InterruptedException {
    if (node == null) {
      node = owners.lostNode(id());
    }
    table = owners.slots(queue);
    Set<Integer> held = new HashSet<>();
    List<HeldSlot> due = new ArrayList<>();
    Map<Integer, List<String>> undrained = new HashMap<>();
    for (HeldSlot slot : store.slots(queue)) {
      held.add(slot.slot());
      if (isForeign(slot)) {
        due.add(slot);
        undrained.put(slot.slot(), table.owner(slot.slot()).undrained());
      }
    }
    Set<Integer> missing = awaited();
    missing.removeAll(held);
    int own = held.size() - due.size();
    if (!due.isEmpty()) {
      store.release(queue, undrained);
    }
    int refused = 0;
    int sent = 0;
    for (HeldSlot slot : due) {
      switch (send(store, queue, slot)) {
        case SENT -> watch.sent(queue, ++sent, held.size());
        case NOT_AWAITED -> refused++;
        case ITS_OWN -> own++;
      }
    }
    note(
        queue,
        own,
        "%2$s is still the owner of %1$s; repeat the rescue when the central managers have given"
            + " them to another queue node, which the queue needs");
    note(
        queue,
        refused,
        "no node waits for %s of %s: they were given up, or changed their owner in another way");
    if (!missing.isEmpty()) {
      // What was rescued just before may have been reported meanwhile.
      table = owners.slots(queue);
      missing.retainAll(awaited());
    }
    note(
        queue,
        missing.size(),
        "other nodes wait for %2$s in %1$s of which this directory holds nothing; if no other disk has"
            + " it, 'millrace node forget %2$s --force' gives it up");
  }

  private UUID id() {
    return NodeIdFile.read(dataDirectory)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorCode.CONFIGURATION,
                    dataDirectory
                        + " has no file 'node-id', so that it is unknown whose sessions it holds;"
                        + " restore that file"));
  }

  private boolean isForeign(HeldSlot slot) {
    SlotOwner owner = table.owner(slot.slot());
    return !owner.node().equals(node) && owner.epoch() > slot.epoch();
  }

  /** The slots that wait for what the node had. */
  private Set<Integer> awaited() {
    Set<Integer> awaited = new HashSet<>();
    for (int slot = 0; slot < SlotTable.SLOTS; slot++) {
      if (table.owner(slot).undrained().contains(node)) {
        awaited.add(slot);
      }
    }
    return awaited;
  }

  private void note(String queue, int slots, String trouble) {
    if (slots > 0) {
      counts.get(queue).troubles.add(trouble.formatted(MessageText.counted(slots, "slot"), node));
    }
  }

  private enum SlotOutcome {
    SENT,
    NOT_AWAITED,
    ITS_OWN
  }

  private SlotOutcome send(DeadSessions store, String queue, HeldSlot slot)
      throws InterruptedException {
    long begun = clock.nanoTime();
    while (isForeign(slot)) {
      SlotOwner owner = table.owner(slot.slot());
      boolean awaited = owner.undrained().contains(node);
      try {
        // An owner that has all of it already ignores what comes again.
        if (awaited || slot.sessions() + slot.remembered() > 0) {
          sendParts(store, queue, slot.slot(), owner.epoch());
        }
        store.remove(queue, slot);
        return SlotOutcome.SENT;
      } catch (MillraceException e) {
        boolean unchanged = owners.slots(queue).owner(slot.slot()).equals(owner);
        if (!awaited && e.code() == ErrorCode.STALE_SLOT && unchanged) {
          return SlotOutcome.NOT_AWAITED;
        }
        if (!PASSING.contains(e.code()) || clock.nanoTime() - begun >= patience.toNanos()) {
          throw e;
        }
        watch.waits(e.getMessage());
      }
      waiter.await(PAUSE);
      table = owners.slots(queue);
    }
    return SlotOutcome.ITS_OWN;
  }

  private void sendParts(DeadSessions store, String queue, int slot, long ownerEpoch) {
    Sending sending = Sending.to(ownerEpoch);
    String after = null;
    do {
      SlotPage page = store.page(queue, slot, sending, after, node);
      owners.send(queue, page);
      after = page.next();
    } while (after != null);
  }

  private List<RescuedSessions> results(DeadSessions store) {
    List<RescuedSessions> results = new ArrayList<>();
    counts.forEach(
        (queue, count) -> {
          long left = store.unfinished(queue);
          results.add(
              new RescuedSessions(
                  queue,
                  count.slots,
                  count.sessions,
                  count.events,
                  count.events - left,
                  left,
                  store.slots(queue).size(),
                  Count.sessions(store, queue),
                  count.troubles.isEmpty() ? null : String.join("; ", count.troubles)));
        });
    return results;
  }

  /** Is told how a rescue of sessions proceeds. */
  public interface RescueWatch {
    /**
     * Another slot of a queue has arrived.
     *
     * @param sent slots of the queue so far
     * @param found slots of the queue at the beginning
     */
    void sent(String queue, int sent, int found);

    /** A slot cannot be sent now, for a readable reason, and is tried again. */
    void waits(String reason);
  }

  /**
   * The sessions of one queue.
   *
   * @param queue its name
   * @param slots in the store
   * @param sessions open ones in the store
   * @param found events in the store that are not acknowledged
   * @param sent those that were sent
   * @param left those that are still in the store
   * @param slotsLeft slots that are still in the store
   * @param sessionsLeft open sessions that are still in the store
   * @param trouble why something was left; null if nothing was, or nothing was to be sent
   */
  public record RescuedSessions(
      String queue,
      int slots,
      long sessions,
      long found,
      long sent,
      long left,
      int slotsLeft,
      long sessionsLeft,
      String trouble) {}

  /** The nodes that have the slots of the lost one now. */
  public interface SlotOwners {
    /**
     * The name of a lost queue node.
     *
     * @throws MillraceException UNKNOWN_NODE if no node has that id, CONFLICT if it is not lost
     */
    String lostNode(UUID id);

    /**
     * Who has which slot of a queue now.
     *
     * @throws MillraceException UNKNOWN_QUEUE, or UNAVAILABLE while its slots are being distributed
     */
    SlotTable slots(String queue);

    /**
     * Sends a part of a slot to its present owner, which may have got it already. Once this
     * returns, it is stored.
     *
     * @throws MillraceException if it was not accepted, or its outcome is unknown
     */
    void send(String queue, SlotPage page);
  }
}

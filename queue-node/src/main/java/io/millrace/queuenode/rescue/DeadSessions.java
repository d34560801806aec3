package io.millrace.queuenode.rescue;

import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.api.session.SlotPage;
import io.millrace.api.session.SlotPage.Sending;
import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.session.store.LogSessionStore;
import io.millrace.queuenode.session.store.SessionStore;
import io.millrace.queuenode.session.store.SessionStore.HeldSlot;
import io.millrace.queuenode.session.store.SessionStore.QueueFigures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The sessions of a dead host, used exclusively by this process. One thread at a time. */
final class DeadSessions implements AutoCloseable {
  private static final String FOLDER = "sessions";

  private final SessionStore store;
  // How the store names itself as long as its name in the cluster is not known.
  private final String name;

  private DeadSessions(SessionStore store, String name) {
    this.store = store;
    this.name = name;
  }

  /** Whether a queue node has ever kept sessions in its data directory. */
  static boolean in(Path dataDirectory) {
    return Files.exists(dataDirectory.resolve(FOLDER).resolve("opened"));
  }

  /**
   * Opens the sessions in a queue node's data directory. Blocks.
   *
   * @throws io.millrace.api.MillraceException STORE_FAILURE if a node uses them or they cannot be
   *     read
   */
  static DeadSessions open(Path dataDirectory, Clock clock) {
    // The parts are sent under the name that the cluster knows.
    String name = dataDirectory.toString();
    return new DeadSessions(LogSessionStore.open(dataDirectory.resolve(FOLDER), name, clock), name);
  }

  /** The queues of which it holds anything, by name. */
  List<String> queues() {
    return new TreeSet<>(store.queues())
        .stream().filter(queue -> !store.slots(queue).isEmpty()).toList();
  }

  List<HeldSlot> slots(String queue) {
    return store.slots(queue);
  }

  /** Events that are not acknowledged. */
  long unfinished(String queue) {
    QueueFigures figures = store.figures().get(queue);
    return figures == null ? 0 : figures.totals().unfinished();
  }

  /**
   * Takes the sessions of slots from their workers, whose deadline has passed.
   *
   * @param undrained of each slot: the earlier owners that its new owner waits for
   */
  void release(String queue, Map<Integer, List<String>> undrained) {
    store.seal(queue, List.copyOf(undrained.keySet()));
    for (SessionWorkerView worker : store.workers(queue)) {
      store.retire(queue, worker.id(), "by the rescue of its sessions");
    }
    undrained.forEach((slot, owners) -> store.endArrivals(queue, slot, owners));
    store.commit();
    store.force();
  }

  /** A part of what a released slot holds; see {@link SessionStore#export}. */
  SlotPage page(String queue, int slot, Sending sending, String after, String from) {
    SlotPage page = store.export(queue, slot, sending, after);
    store.commit();
    return new SlotPage(
        page.slot(),
        page.epoch(),
        from,
        sending,
        page.part(),
        page.sessions(),
        page.completed(),
        page.next(),
        page.contained().stream().map(holding -> renamed(holding, from)).toList());
  }

  // Its own earlier holdings, or the receiver would not know them.
  private String renamed(String holding, String from) {
    int end = holding.lastIndexOf('/');
    return holding.substring(0, end).equals(name) ? from + holding.substring(end) : holding;
  }

  /** Removes what a released slot holds, because its owner has it. */
  void remove(String queue, HeldSlot slot) {
    store.exported(queue, slot.slot(), slot.epoch());
    store.commit();
  }

  @Override
  public void close() {
    try {
      store.force();
    } finally {
      store.close();
    }
  }
}

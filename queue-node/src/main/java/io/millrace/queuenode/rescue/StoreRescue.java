package io.millrace.queuenode.rescue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.queuenode.store.EventState;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.PeekedRecord;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep;
import io.millrace.queuenode.store.SegmentTotals;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Sends everything that a dead host's store holds to the cluster: each batch is removed from the
 * store only after the cluster accepted it, so that a rescue can be interrupted and repeated at any
 * time. Events that were sent but not removed when it was interrupted are sent again, in batches of
 * the same names and with the same event ids: at least once, as all delivery. One thread at a time.
 */
public final class StoreRescue {
  private static final int BATCH_EVENTS = 500;
  private static final long BATCH_BYTES = 1 << 20;
  private static final Duration LEASE = Duration.ofDays(1);

  private final Path dataDirectory;
  private final boolean includeDead;
  private final RescueTarget outlet;
  private final RescueProgress progress;
  private final Clock clock;
  private final Map<String, Count> counts = new TreeMap<>();

  private static final class Count {
    private long found;
    private long sent;
    private String trouble;
  }

  /**
   * A rescue that has not started.
   *
   * @param dataDirectory of the lost queue node
   * @param includeDead whether dead letters are sent too, as ordinary events
   * @param progress called after each batch
   */
  public StoreRescue(
      Path dataDirectory,
      boolean includeDead,
      RescueTarget outlet,
      RescueProgress progress,
      Clock clock) {
    this.dataDirectory = dataDirectory;
    this.includeDead = includeDead;
    this.outlet = outlet;
    this.progress = progress;
    this.clock = clock;
  }

  /** Reports what would be sent. The store is opened but not changed. */
  public List<RescuedQueue> inspect() {
    if (hasOnlySessions()) {
      return List.of();
    }
    try (DeadStore store = DeadStore.open(dataDirectory, clock)) {
      count(store);
      return results(store);
    }
  }

  /**
   * Sends all events. Blocks.
   *
   * @return the outcome of each queue; events of a queue that the cluster does not know are left
   * @throws MillraceException if the cluster accepts no more; what it accepted was removed from the
   *     store
   */
  public List<RescuedQueue> run() throws InterruptedException {
    if (hasOnlySessions()) {
      return List.of();
    }
    try (DeadStore store = DeadStore.open(dataDirectory, clock)) {
      count(store);
      if (includeDead) {
        sendable().forEach(store::revive);
      }
      // Before the clock is moved forward, which ends their delays.
      for (String queue : sendable()) {
        send(queue, () -> sendDelayed(store, queue));
      }
      store.takeBack();
      for (String queue : sendable()) {
        send(queue, () -> sendReady(store, queue));
      }
      return results(store);
    }
  }

  /** Of a node that keeps other events in a database. */
  private boolean hasOnlySessions() {
    return DeadSessions.in(dataDirectory) && !DeadStore.in(dataDirectory);
  }

  /** The number of events accepted by the cluster so far. */
  public long sent() {
    return counts.values().stream().mapToLong(count -> count.sent).sum();
  }

  private void count(DeadStore store) {
    store.totals().forEach((queue, totals) -> count(queue, totals, store));
  }

  private void count(String queue, SegmentTotals totals, DeadStore store) {
    Count count = new Count();
    count.found = totals.unfinished() + (includeDead ? totals.dead() : 0);
    count.trouble = store.trouble(queue).orElse(null);
    counts.put(queue, count);
  }

  /** Queues whose events can be sent, as far as known. */
  private List<String> sendable() {
    return counts.keySet().stream().filter(queue -> counts.get(queue).trouble == null).toList();
  }

  private interface Sending {
    void run() throws InterruptedException;
  }

  private void send(String queue, Sending sending) throws InterruptedException {
    try {
      sending.run();
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.UNKNOWN_QUEUE) {
        throw e;
      }
      counts.get(queue).trouble = e.getMessage();
    }
  }

  private void sendDelayed(DeadStore store, String queue) throws InterruptedException {
    while (true) {
      List<PeekedRecord> delayed = store.segments().peek(queue, EventState.DELAYED, BATCH_EVENTS);
      if (delayed.isEmpty()) {
        return;
      }
      List<PeekedRecord> batch = fitting(delayed);
      List<Long> seqs = batch.stream().map(PeekedRecord::seq).toList();
      send(store, queue, seqs, batch.stream().map(StoreRescue::delayed).toList());
      SegmentSweep taken = new SegmentSweep(0, seqs.get(seqs.size() - 1));
      store.segments().purge(queue, EventState.DELAYED, taken);
      store.segments().commit();
    }
  }

  private static List<PeekedRecord> fitting(List<PeekedRecord> records) {
    List<PeekedRecord> fitting = new ArrayList<>();
    long bytes = 0;
    for (PeekedRecord next : records) {
      bytes += next.event().bytes();
      if (!fitting.isEmpty() && bytes > BATCH_BYTES) {
        break;
      }
      fitting.add(next);
    }
    return fitting;
  }

  private static NewEvent delayed(PeekedRecord delayed) {
    NewEvent event = delayed.event();
    return new NewEvent(
        event.id(), event.data(), event.attributes(), event.priority(), delayed.heldMillis());
  }

  private void sendReady(DeadStore store, String queue) throws InterruptedException {
    LeaseOrder order = new LeaseOrder(queue, BATCH_EVENTS, BATCH_BYTES, LEASE);
    while (true) {
      List<LeasedEvent> leased = store.segments().lease(order);
      store.segments().commit();
      if (leased.isEmpty()) {
        return;
      }
      List<Long> seqs = leased.stream().map(event -> event.receipt().seq()).toList();
      send(store, queue, seqs, leased.stream().map(StoreRescue::ready).toList());
      store.segments().acknowledge(queue, leased.stream().map(LeasedEvent::receipt).toList());
      store.segments().commit();
    }
  }

  private static NewEvent ready(LeasedEvent leased) {
    NewEvent event = leased.event();
    return new NewEvent(event.id(), event.data(), event.attributes(), event.priority(), 0);
  }

  private void send(DeadStore store, String queue, List<Long> seqs, List<NewEvent> events)
      throws InterruptedException {
    outlet.send(queue, batch(store, seqs), events);
    Count count = counts.get(queue);
    count.sent += events.size();
    progress.sent(queue, count.sent, count.found);
  }

  /** The name of a batch, derived from the store and its events. */
  private static String batch(DeadStore store, List<Long> seqs) {
    byte[] events = (store.origin() + seqs).getBytes(StandardCharsets.UTF_8);
    return "rescue-"
        + store.origin().substring(0, 8)
        + "-"
        + seqs.get(0)
        + "-"
        + UUID.nameUUIDFromBytes(events);
  }

  private List<RescuedQueue> results(DeadStore store) {
    Map<String, SegmentTotals> totals = store.totals();
    List<RescuedQueue> results = new ArrayList<>();
    counts.forEach(
        (queue, count) -> {
          SegmentTotals now = totals.get(queue);
          results.add(
              new RescuedQueue(
                  queue, count.found, count.sent, now.unfinished(), now.dead(), count.trouble));
        });
    return results;
  }

  /** Receives the progress of a rescue. */
  public interface RescueProgress {
    /**
     * Another batch of a queue was accepted by the cluster.
     *
     * @param sent events of the queue so far
     * @param found events of the queue at the beginning
     */
    void sent(String queue, long sent, long found);
  }

  /**
   * The outcome of one queue.
   *
   * @param queue its name
   * @param found unfinished events in the store, including dead letters to be rescued
   * @param sent events accepted by the cluster
   * @param left events that are still in the store
   * @param dead dead letters that are still in the store
   * @param trouble why events were left; null when none were, or none were to be sent
   */
  public record RescuedQueue(
      String queue, long found, long sent, long left, long dead, String trouble) {}

  /** The destination of rescued events. */
  public interface RescueTarget {
    /**
     * Sends a batch; once this returns, it is stored. Blocks, and may wait long for capacity.
     *
     * @param batch the same name for the same events, however often they are sent
     * @param events with their remaining delays
     * @throws io.millrace.api.MillraceException if it was not accepted, or its outcome is unknown
     */
    void send(String queue, String batch, List<NewEvent> events) throws InterruptedException;
  }
}

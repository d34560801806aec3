package io.millrace.queuenode.store;

import io.millrace.api.queue.SegmentFigures.DelayBuckets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The figures of all segments: committed ones for any thread, those of the current transaction for
 * the writer's.
 */
final class Tallies {
  private final Rows rows;
  private final Map<String, Integer> numbers = new ConcurrentHashMap<>();
  private final Map<Integer, String> names = new HashMap<>();
  private final Map<Integer, SegmentTotals> committed = new ConcurrentHashMap<>();
  private final Map<Integer, Tally> changed = new HashMap<>();
  private final Map<Integer, SegmentTotals> next = new HashMap<>();
  private final List<String> added = new ArrayList<>();
  private final Map<String, Integer> removed = new HashMap<>();
  private final Map<Integer, Integer> versions = new HashMap<>();

  Tallies(Rows rows) {
    this.rows = rows;
    numbers.putAll(rows.queues());
    numbers.forEach((name, number) -> names.put(number, name));
    versions.putAll(rows.versions());
    rows.totals().forEach((queue, totals) -> committed.put(queue, aged(queue, totals)));
  }

  /** The queue's number; null if it never held an event. */
  Integer number(String queue) {
    return numbers.get(queue);
  }

  /**
   * The version of its definition under which the queue's segment began; 0 if it is unknown or the
   * queue has no segment.
   */
  int version(String queue) {
    Integer number = numbers.get(queue);
    return number == null ? 0 : versions.getOrDefault(number, 0);
  }

  /** The queue's number, assigned if it has none, under this version of its definition. */
  int numberOrNew(String queue, int version) {
    Integer known = numbers.get(queue);
    if (known != null) {
      return known;
    }
    int number = rows.addQueue(queue, version);
    versions.put(number, version);
    numbers.put(queue, number);
    names.put(number, queue);
    added.add(queue);
    return number;
  }

  /** Removes a queue that has no events, with its figures. */
  void remove(String queue) {
    int number = numbers.remove(queue);
    rows.removeQueue(queue, number);
    names.remove(number);
    changed.remove(number);
    if (!added.remove(queue)) {
      removed.put(queue, number);
    }
  }

  String name(int queue) {
    return names.get(queue);
  }

  /** The figures to change in this transaction. */
  Tally of(int queue) {
    return changed.computeIfAbsent(queue, number -> new Tally(committed(number)));
  }

  /** Every queue that ever held an event, by name. */
  Map<String, Integer> numbers() {
    return numbers;
  }

  long waiting(int queue) {
    Tally tally = changed.get(queue);
    return tally == null ? committed(queue).waiting() : tally.waiting();
  }

  long unfinished(String queue) {
    Integer number = numbers.get(queue);
    if (number == null) {
      return 0;
    }
    Tally tally = changed.get(number);
    return tally == null ? committed(number).unfinished() : tally.unfinished();
  }

  long bytes(String queue) {
    Integer number = numbers.get(queue);
    if (number == null) {
      return 0;
    }
    Tally tally = changed.get(number);
    return tally == null ? committed(number).bytes() : tally.bytes();
  }

  /** The average size of the queue's events, as committed. */
  long meanBytes(int queue) {
    SegmentTotals totals = committed(queue);
    return totals.bytes() / Math.max(1, totals.unfinished() + totals.dead());
  }

  private SegmentTotals committed(int queue) {
    return committed.getOrDefault(queue, SegmentTotals.NONE);
  }

  /** Writes the changed figures as part of their transaction. */
  void save() {
    changed.forEach(
        (queue, tally) -> {
          SegmentTotals totals = aged(queue, tally.totals());
          rows.saveTotals(queue, totals);
          next.put(queue, totals);
        });
  }

  void committed() {
    committed.putAll(next);
    next.clear();
    changed.clear();
    added.clear();
    committed.keySet().removeAll(removed.values());
    versions.keySet().removeAll(removed.values());
    removed.clear();
  }

  /** Discards the transaction, including the numbers assigned and removed in it. */
  void rollback() {
    next.clear();
    changed.clear();
    added.forEach(name -> names.remove(numbers.remove(name)));
    added.clear();
    numbers.putAll(removed);
    removed.forEach((name, number) -> names.put(number, name));
    removed.clear();
  }

  Map<String, SegmentTotals> totals() {
    Map<String, SegmentTotals> totals = new TreeMap<>();
    numbers.forEach(
        (name, number) -> {
          SegmentTotals figures = committed.get(number);
          if (figures != null) {
            totals.put(name, figures);
          }
        });
    return totals;
  }

  private SegmentTotals aged(int queue, SegmentTotals totals) {
    long oldest = totals.waiting() == 0 ? 0 : rows.oldestReady(queue);
    return totals.withOldest(oldest);
  }

  /**
   * The figures of one segment while a transaction changes them. Used by the writer's thread only.
   */
  static final class Tally {
    private final long[] inState = new long[EventState.values().length];
    private final long[] delays;
    private long bytes;
    private long inserted;
    private long insertedBytes;
    private long delivered;
    private long deliveredBytes;
    private long acknowledged;
    private long failed;
    private long returned;
    private long dropped;

    Tally(SegmentTotals from) {
      inState[EventState.READY.code()] = from.waiting();
      inState[EventState.DELAYED.code()] = from.delayed();
      inState[EventState.LEASED.code()] = from.leased();
      inState[EventState.DEAD.code()] = from.dead();
      bytes = from.bytes();
      inserted = from.inserted();
      insertedBytes = from.insertedBytes();
      delivered = from.delivered();
      deliveredBytes = from.deliveredBytes();
      acknowledged = from.acknowledged();
      failed = from.failed();
      returned = from.returned();
      dropped = from.dropped();
      delays = from.delays().stream().mapToLong(Long::longValue).toArray();
    }

    long waiting() {
      return in(EventState.READY);
    }

    long unfinished() {
      return in(EventState.READY) + in(EventState.DELAYED) + in(EventState.LEASED);
    }

    long bytes() {
      return bytes;
    }

    void inserted(DeliveryState fresh) {
      inState[fresh.state().code()]++;
      bytes += fresh.bytes();
      inserted++;
      insertedBytes += fresh.bytes();
    }

    void moved(DeliveryState from, DeliveryState to) {
      inState[from.state().code()]--;
      inState[to.state().code()]++;
      if (to.state() == EventState.LEASED) {
        delivered++;
        deliveredBytes += to.bytes();
      }
    }

    void acknowledged(DeliveryState done, long nowMillis) {
      inState[done.state().code()]--;
      bytes -= done.bytes();
      acknowledged++;
      delays[DelayBuckets.of(Math.max(0, nowMillis - done.storedAt()) / 1000.0)]++;
    }

    void dropped(DeliveryState event) {
      inState[event.state().code()]--;
      bytes -= event.bytes();
      dropped++;
    }

    void failed() {
      failed++;
    }

    void returned() {
      returned++;
    }

    SegmentTotals totals() {
      return new SegmentTotals(
          in(EventState.READY),
          in(EventState.DELAYED),
          in(EventState.LEASED),
          in(EventState.DEAD),
          bytes,
          0,
          inserted,
          insertedBytes,
          delivered,
          deliveredBytes,
          acknowledged,
          failed,
          returned,
          dropped,
          Arrays.stream(delays).boxed().toList());
    }

    private long in(EventState state) {
      return inState[state.code()];
    }
  }
}

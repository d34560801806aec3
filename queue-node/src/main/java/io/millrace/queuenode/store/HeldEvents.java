package io.millrace.queuenode.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The leased and delayed events with the monotonic times at which they are due. Changes follow the
 * store's transactions: {@link #rollback} undoes what came since {@link #commit}. Used by the
 * writer's thread; {@link #isDue} may be called by any.
 */
final class HeldEvents {
  private record Held(DeliveryState delivery, long dueNanos) {}

  private record Due(long seq, long nanos) {}

  private record Undo(long seq, Held before) {}

  private final Map<Long, Held> held = new HashMap<>();
  // Differences, not values: the monotonic clock may overflow.
  private final PriorityQueue<Due> order =
      new PriorityQueue<>((one, other) -> Long.signum(one.nanos() - other.nanos()));
  private final Deque<Undo> undo = new ArrayDeque<>();
  private volatile Due first;

  DeliveryState get(long seq) {
    Held entry = held.get(seq);
    return entry == null ? null : entry.delivery();
  }

  /** When the event is due; now if it is not in the list. */
  long dueNanos(long seq, long nowNanos) {
    Held entry = held.get(seq);
    return entry == null ? nowNanos : entry.dueNanos();
  }

  /** Adds or updates the event. */
  void put(DeliveryState delivery, long dueNanos) {
    Held before = held.put(delivery.seq(), new Held(delivery, dueNanos));
    undo.push(new Undo(delivery.seq(), before));
    order.add(new Due(delivery.seq(), dueNanos));
    note();
  }

  void remove(long seq) {
    Held before = held.remove(seq);
    if (before != null) {
      undo.push(new Undo(seq, before));
    }
  }

  /** Lists events that are due; they stay until removed. */
  List<DeliveryState> due(long nowNanos, int limit) {
    // A map, because an event leased twice for the same deadline has two entries.
    Map<Long, DeliveryState> due = new LinkedHashMap<>();
    while (due.size() < limit && !order.isEmpty() && order.peek().nanos() - nowNanos <= 0) {
      Due next = order.poll();
      Held entry = held.get(next.seq());
      // An entry that does not match was removed or extended since.
      if (entry != null && entry.dueNanos() == next.nanos()) {
        due.put(next.seq(), entry.delivery());
      }
    }
    note();
    return List.copyOf(due.values());
  }

  /** Whether something may be due. Any thread. */
  boolean isDue(long nowNanos) {
    Due next = first;
    return next != null && next.nanos() - nowNanos <= 0;
  }

  void commit() {
    undo.clear();
    // Otherwise stale entries would accumulate while the same leases are extended.
    if (order.size() > 2 * held.size() + 10_000) {
      rebuild();
    }
  }

  void rollback() {
    while (!undo.isEmpty()) {
      Undo step = undo.pop();
      if (step.before() == null) {
        held.remove(step.seq());
      } else {
        held.put(step.seq(), step.before());
      }
    }
    rebuild();
  }

  private void rebuild() {
    order.clear();
    held.forEach((seq, entry) -> order.add(new Due(seq, entry.dueNanos())));
    note();
  }

  private void note() {
    first = order.peek();
  }
}

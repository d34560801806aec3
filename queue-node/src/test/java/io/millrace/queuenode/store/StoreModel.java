package io.millrace.queuenode.store;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * What a store of one queue must do, written as plainly as possible: a list of events that is
 * searched for every operation. Time is a number of milliseconds.
 */
final class StoreModel {
  /** An event of the model. */
  static final class Modelled {
    final String id;
    final long seq;
    final int priority;
    EventState state;
    long due;
    boolean alone;
    boolean shared;
    int failures;
    int returns;

    Modelled(String id, long seq, int priority) {
      this.id = id;
      this.seq = seq;
      this.priority = priority;
    }
  }

  private final TreeMap<Long, Modelled> events = new TreeMap<>();
  private final DeliveryLimits limits;
  private long lastSeq;
  private long acknowledged;

  StoreModel(DeliveryLimits limits) {
    this.limits = limits;
  }

  void put(String id, int priority, long delay, long now) {
    Modelled event = new Modelled(id, ++lastSeq, priority);
    event.state = delay > 0 ? EventState.DELAYED : EventState.READY;
    event.due = now + delay;
    events.put(event.seq, event);
  }

  /** The ids of a lease, in order. */
  List<String> lease(int max, long lease, long now) {
    List<Modelled> ready =
        events.values().stream()
            .filter(event -> event.state == EventState.READY)
            .sorted(
                Comparator.comparingInt((Modelled event) -> -event.priority)
                    .thenComparingLong(event -> event.seq))
            .toList();
    List<Modelled> taken = new ArrayList<>();
    if (!ready.isEmpty() && ready.get(0).alone) {
      taken.add(ready.get(0));
    } else {
      ready.stream().filter(event -> !event.alone).limit(max).forEach(taken::add);
    }
    for (Modelled event : taken) {
      event.state = EventState.LEASED;
      event.shared = taken.size() > 1;
      event.due = now + lease;
    }
    return taken.stream().map(event -> event.id).toList();
  }

  void acknowledge(List<String> ids) {
    acknowledged += ids.size();
    events.values().removeIf(event -> ids.contains(event.id));
  }

  void refuse(List<String> ids, RefusalKind kind, long delay, long now) {
    for (Modelled event : events.values()) {
      if (ids.contains(event.id)) {
        end(event, kind, delay, now);
      }
    }
  }

  private void end(Modelled event, RefusalKind kind, long delay, long now) {
    if (kind == RefusalKind.RETURNED) {
      event.returns++;
    } else {
      event.alone = true;
      event.failures += event.shared ? 0 : 1;
    }
    if (event.failures >= limits.maxAttempts() || event.returns >= limits.maxReturns()) {
      event.state = EventState.DEAD;
    } else {
      event.state = delay > 0 ? EventState.DELAYED : EventState.READY;
      event.due = now + delay;
    }
  }

  void extend(List<String> ids, long lease, long now) {
    for (Modelled event : events.values()) {
      if (ids.contains(event.id)) {
        event.due = now + lease;
      }
    }
  }

  void expire(long now) {
    for (Modelled event : events.values()) {
      if (event.state == EventState.DELAYED && event.due <= now) {
        event.state = EventState.READY;
      } else if (event.state == EventState.LEASED && event.due <= now) {
        end(event, RefusalKind.RETURNED, 0, now);
      }
    }
  }

  void requeueDead() {
    for (Modelled event : events.values()) {
      if (event.state == EventState.DEAD) {
        event.state = EventState.READY;
        event.failures = 0;
        event.returns = 0;
      }
    }
  }

  /** Whether the worker still has the event. */
  boolean leased(String id) {
    return events.values().stream()
        .anyMatch(event -> event.id.equals(id) && event.state == EventState.LEASED);
  }

  long in(EventState state) {
    return events.values().stream().filter(event -> event.state == state).count();
  }

  List<String> dead() {
    return events.descendingMap().values().stream()
        .filter(event -> event.state == EventState.DEAD)
        .map(event -> event.id)
        .toList();
  }

  long acknowledged() {
    return acknowledged;
  }
}

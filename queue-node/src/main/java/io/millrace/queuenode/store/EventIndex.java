package io.millrace.queuenode.store;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The state of every event of a log: sets of numbers for all, a {@link DeliveryState} only for
 * those that are not ready or were delivered before, and the details of dead ones. A new ready
 * event is thus one bit; the rest of it is in the log. One thread; changes can be undone.
 */
final class EventIndex {
  private static final int REASONS = 1_000;

  private final UndoList undo;
  private final Map<Integer, QueueSets> queues = new HashMap<>();
  private final Map<Long, DeliveryState> deliveries = new HashMap<>();
  private final Map<Long, DeadLetterInfo> deadLetters = new HashMap<>();
  private final Map<String, String> reasons =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > REASONS;
        }
      };
  private long lastSeq;

  EventIndex(UndoList undo) {
    this.undo = undo;
  }

  long lastSeq() {
    return lastSeq;
  }

  /** The state of an event beyond the log; null for none. */
  DeliveryState delivery(long seq) {
    return deliveries.get(seq);
  }

  DeadLetterInfo deadLetter(long seq) {
    return deadLetters.get(seq);
  }

  QueueSets queue(int number) {
    return queues.computeIfAbsent(number, none -> new QueueSets());
  }

  Map<Integer, QueueSets> queues() {
    return queues;
  }

  /** Removes the sets of a queue that has no events. */
  void removeQueue(int number) {
    undo.set(queues, number, null);
  }

  Map<Long, DeliveryState> deliveries() {
    return deliveries;
  }

  Map<Long, DeadLetterInfo> deadLetters() {
    return deadLetters;
  }

  void insert(DeliveryState fresh) {
    long seq = fresh.seq();
    if (seq <= lastSeq) {
      throw new IllegalArgumentException("event " + seq + " after event " + lastSeq);
    }
    lastSeq = seq;
    QueueSets sets = queue(fresh.queue());
    sets.add(fresh.state(), fresh.priority(), seq);
    if (fresh.state() != EventState.READY) {
      deliveries.put(seq, fresh);
    }
    undo.add(
        () -> {
          sets.remove(fresh.state(), fresh.priority(), seq);
          deliveries.remove(seq);
        });
  }

  /**
   * Changes the state of an event that is in the expected state, with the details of its death if
   * it died.
   */
  void change(EventState expected, DeliveryState next, DeadLetterInfo deadLetter) {
    long seq = next.seq();
    QueueSets sets = removeFrom(expected, next);
    sets.add(next.state(), next.priority(), seq);
    undo.add(() -> sets.remove(next.state(), next.priority(), seq));
    undo.set(deliveries, seq, isFresh(next) ? null : next);
    if (deadLetter != null || expected == EventState.DEAD) {
      undo.set(deadLetters, seq, deadLetter == null ? null : shared(deadLetter));
    }
  }

  /** Removes an event that is in the expected state. */
  void remove(EventState expected, DeliveryState last) {
    removeFrom(expected, last);
    undo.set(deliveries, last.seq(), null);
    if (expected == EventState.DEAD) {
      undo.set(deadLetters, last.seq(), null);
    }
  }

  private QueueSets removeFrom(EventState expected, DeliveryState delivery) {
    long seq = delivery.seq();
    int priority = delivery.priority();
    QueueSets sets = queue(delivery.queue());
    if (!sets.contains(expected, priority, seq)) {
      throw new IllegalStateException("event " + seq + " is not " + expected);
    }
    sets.remove(expected, priority, seq);
    undo.add(() -> sets.add(expected, priority, seq));
    return sets;
  }

  /** Whether the log alone determines this state. */
  private static boolean isFresh(DeliveryState delivery) {
    return delivery.state() == EventState.READY
        && delivery.number() == 0
        && delivery.term() == 0
        && delivery.heldAt() == 0
        && delivery.holdMillis() == 0
        && !delivery.shared()
        && !delivery.alone()
        && delivery.failures() == 0
        && delivery.returns() == 0;
  }

  /** Events often share a reason, which is stored once. */
  private DeadLetterInfo shared(DeadLetterInfo deadLetter) {
    if (deadLetter.reason() == null) {
      return deadLetter;
    }
    String known = reasons.computeIfAbsent(deadLetter.reason(), reason -> reason);
    return new DeadLetterInfo(known, deadLetter.diedAt());
  }

  /** Loads the content of a checkpoint piece by piece, so that nothing is in memory twice. */
  void restoreLastSeq(long highestSeq) {
    lastSeq = highestSeq;
  }

  void restore(int queue, QueueSets sets) {
    queues.put(queue, sets);
  }

  void restore(DeliveryState delivery) {
    deliveries.put(delivery.seq(), delivery);
  }

  void restore(long seq, DeadLetterInfo deadLetter) {
    deadLetters.put(seq, shared(deadLetter));
  }

  /** Why and when an event became a dead letter; the reason may be null. */
  record DeadLetterInfo(String reason, long diedAt) {}
}

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
  private final Map<Long, DeliveryState> standings = new HashMap<>();
  private final Map<Long, DeadLetterInfo> burials = new HashMap<>();
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
  DeliveryState standing(long seq) {
    return standings.get(seq);
  }

  DeadLetterInfo burial(long seq) {
    return burials.get(seq);
  }

  QueueSets queue(int number) {
    return queues.computeIfAbsent(number, none -> new QueueSets());
  }

  Map<Integer, QueueSets> queues() {
    return queues;
  }

  Map<Long, DeliveryState> standings() {
    return standings;
  }

  Map<Long, DeadLetterInfo> burials() {
    return burials;
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
      standings.put(seq, fresh);
    }
    undo.add(
        () -> {
          sets.remove(fresh.state(), fresh.priority(), seq);
          standings.remove(seq);
        });
  }

  /**
   * Changes the state of an event that is in the expected state, with the details of its death if
   * it died.
   */
  void change(EventState expected, DeliveryState next, DeadLetterInfo burial) {
    long seq = next.seq();
    QueueSets sets = take(expected, next);
    sets.add(next.state(), next.priority(), seq);
    undo.add(() -> sets.remove(next.state(), next.priority(), seq));
    undo.set(standings, seq, isFresh(next) ? null : next);
    if (burial != null || expected == EventState.DEAD) {
      undo.set(burials, seq, burial == null ? null : shared(burial));
    }
  }

  /** Removes an event that is in the expected state. */
  void remove(EventState expected, DeliveryState last) {
    take(expected, last);
    undo.set(standings, last.seq(), null);
    if (expected == EventState.DEAD) {
      undo.set(burials, last.seq(), null);
    }
  }

  private QueueSets take(EventState expected, DeliveryState standing) {
    long seq = standing.seq();
    int priority = standing.priority();
    QueueSets sets = queue(standing.queue());
    if (!sets.contains(expected, priority, seq)) {
      throw new IllegalStateException("event " + seq + " is not " + expected);
    }
    sets.remove(expected, priority, seq);
    undo.add(() -> sets.add(expected, priority, seq));
    return sets;
  }

  /** Whether the log knows as much. */
  private static boolean isFresh(DeliveryState standing) {
    return standing.state() == EventState.READY
        && standing.delivery() == 0
        && standing.term() == 0
        && standing.heldAt() == 0
        && standing.holdMillis() == 0
        && !standing.shared()
        && !standing.alone()
        && standing.failures() == 0
        && standing.returns() == 0;
  }

  /** Many have the same reason, which is kept once. */
  private DeadLetterInfo shared(DeadLetterInfo burial) {
    if (burial.reason() == null) {
      return burial;
    }
    String known = reasons.computeIfAbsent(burial.reason(), words -> words);
    return new DeadLetterInfo(known, burial.diedAt());
  }

  /** Takes over the content of a checkpoint piece by piece, so that nothing is in memory twice. */
  void restoreLastSeq(long highestSeq) {
    lastSeq = highestSeq;
  }

  void restore(int queue, QueueSets sets) {
    queues.put(queue, sets);
  }

  void restore(DeliveryState standing) {
    standings.put(standing.seq(), standing);
  }

  void restore(long seq, DeadLetterInfo burial) {
    burials.put(seq, shared(burial));
  }

  /** Why and when an event became a dead letter; the reason may be null. */
  record DeadLetterInfo(String reason, long diedAt) {}
}

package io.millrace.queuenode.store;

import io.millrace.api.Durations;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.Tallies.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Enforces retention: events that wait longer than their queue's retention become dead letters, and
 * dead letters older than theirs are deleted. An event's wait starts again when it becomes ready,
 * so that a requeued event does not expire at once. Works in steps; {@link #due} may be called by
 * any thread, the rest by the writer's.
 */
final class Ageing {
  private static final int STEP = 2_000;
  private static final long SHORTEST_PAUSE = 1_000;
  private static final long PAUSES_PER_LIFE = 100;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** One kind of ageing in one queue. */
  private record Watch(String queue, EventState state) {}

  /**
   * The progress of a scan over a segment.
   *
   * @param life the age for which it scans
   * @param after the last sequence number scanned
   * @param oldest since when the oldest remaining one has been waiting
   * @param nextNanos when to continue
   */
  private record Look(Duration life, long after, long oldest, long nextNanos) {
    static Look first(Duration life, long now, long nowNanos) {
      return new Look(life, 0, now, nowNanos);
    }
  }

  private final Ledger ledger;
  private final Map<Watch, Look> looks = new ConcurrentHashMap<>();

  Ageing(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Whether something may be too old. Any thread. */
  boolean due(Function<String, QueueRules> rules) {
    long now = ledger.steadyNow();
    long nanos = ledger.nanos();
    for (Map.Entry<String, SegmentTotals> segment : ledger.totals().entrySet()) {
      QueueRules rule = rules.apply(segment.getKey());
      SegmentTotals totals = segment.getValue();
      boolean waited =
          rule.retention() != null
              && totals.waiting() > 0
              && now - totals.oldestStoredAt() >= rule.retention().toMillis();
      if (waited && open(segment.getKey(), EventState.READY, rule.retention(), nanos)) {
        return true;
      }
      boolean lies = rule.deadRetention() != null && totals.dead() > 0;
      if (lies && open(segment.getKey(), EventState.DEAD, rule.deadRetention(), nanos)) {
        return true;
      }
    }
    return false;
  }

  private boolean open(String queue, EventState state, Duration life, long nanos) {
    Look look = looks.get(new Watch(queue, state));
    return look == null || !look.life().equals(life) || look.nextNanos() - nanos <= 0;
  }

  /** One step for each queue that is due. */
  void age(Function<String, QueueRules> rules) {
    if (!due(rules)) {
      return;
    }
    ledger
        .tallies()
        .numbers()
        .forEach(
            (name, number) -> {
              if (ledger.readable(number)) {
                QueueRules rule = rules.apply(name);
                step(name, number, EventState.READY, rule.retention());
                step(name, number, EventState.DEAD, rule.deadRetention());
              }
            });
  }

  private void step(String name, int queue, EventState state, Duration life) {
    Watch watch = new Watch(name, state);
    if (life == null) {
      looks.remove(watch);
      return;
    }
    long now = ledger.steadyNow();
    if (!open(name, state, life, ledger.nanos())) {
      return;
    }
    Look known = looks.get(watch);
    boolean goesOn = known != null && known.life().equals(life) && known.after() > 0;
    Look look = goesOn ? known : Look.first(life, now, ledger.nanos());
    looks.put(watch, looked(queue, state, look, now));
  }

  private Look looked(int queue, EventState state, Look look, long now) {
    long born = now - look.life().toMillis();
    int limit = ledger.page(queue, STEP);
    List<Rows.Row> page = ledger.rows().in(queue, state, look.after(), limit);
    List<DeliveryState> old = new ArrayList<>();
    long oldest = look.oldest();
    boolean more = page.size() == limit;
    for (Rows.Row row : page) {
      DeliveryState delivery = row.delivery();
      if (since(delivery) <= born) {
        old.add(delivery);
      } else {
        oldest = Math.min(oldest, since(delivery));
      }
      if (state == EventState.READY && delivery.storedAt() > born) {
        // Sequence numbers rise with the time of storing, so all behind it are younger still.
        more = false;
        break;
      }
    }
    end(queue, state, old, look.life());
    return more
        ? new Look(look.life(), page.get(limit - 1).delivery().seq(), oldest, ledger.nanos())
        : new Look(look.life(), 0, now, next(look.life(), oldest - born));
  }

  /** Since when an event has waited, or a dead letter lain. */
  private static long since(DeliveryState delivery) {
    return Math.max(delivery.storedAt(), delivery.heldAt());
  }

  /**
   * Not before the next can be too old, and not so often that looking costs more than it brings.
   */
  private long next(Duration life, long millisUntilDue) {
    long pause = Math.max(SHORTEST_PAUSE, life.toMillis() / PAUSES_PER_LIFE);
    return ledger.nanos() + Math.max(pause, millisUntilDue) * NANOS_PER_MILLI;
  }

  private void end(int queue, EventState state, List<DeliveryState> old, Duration life) {
    Tally tally = ledger.tally(queue);
    if (state == EventState.DEAD) {
      old.forEach(tally::dropped);
      ledger.rows().delete(EventState.DEAD, old);
      return;
    }
    long now = ledger.now();
    List<DeliveryState> dead = new ArrayList<>(old.size());
    for (DeliveryState delivery : old) {
      DeliveryState next = delivery.in(EventState.DEAD, now, 0);
      tally.moved(delivery, next);
      dead.add(next);
    }
    ledger
        .rows()
        .markDead(
            EventState.READY,
            dead,
            "older than the queue's retention of " + Durations.format(life),
            now);
  }

  /** What was looked at in the undone transaction is looked at again. */
  void rollback() {
    looks.clear();
  }
}

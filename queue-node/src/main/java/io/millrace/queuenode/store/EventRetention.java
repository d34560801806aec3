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
 * dead letters older than their own retention are deleted. An event's wait restarts when it becomes
 * ready, so that a requeued event does not expire immediately. Works in steps; {@link #due} may be
 * called by any thread, the rest by the writer's.
 */
final class EventRetention {
  private static final int STEP = 2_000;
  private static final long SHORTEST_PAUSE = 1_000;
  private static final long PAUSES_PER_RETENTION = 100;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Events in one state of one queue. */
  private record Watch(String queue, EventState state) {}

  /**
   * The progress of a scan over a segment.
   *
   * @param retention the age for which it scans
   * @param after the last sequence number scanned
   * @param oldest when the oldest remaining event became ready or died
   * @param nextNanos when to continue
   */
  private record Scan(Duration retention, long after, long oldest, long nextNanos) {
    static Scan first(Duration retention, long now, long nowNanos) {
      return new Scan(retention, 0, now, nowNanos);
    }
  }

  private final Ledger ledger;
  private final Map<Watch, Scan> scans = new ConcurrentHashMap<>();

  EventRetention(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Whether an event may have exceeded its retention. Any thread. */
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
      if (waited && isDue(segment.getKey(), EventState.READY, rule.retention(), nanos)) {
        return true;
      }
      boolean hasDead = rule.deadRetention() != null && totals.dead() > 0;
      if (hasDead && isDue(segment.getKey(), EventState.DEAD, rule.deadRetention(), nanos)) {
        return true;
      }
    }
    return false;
  }

  private boolean isDue(String queue, EventState state, Duration retention, long nanos) {
    Scan scan = scans.get(new Watch(queue, state));
    return scan == null || !scan.retention().equals(retention) || scan.nextNanos() - nanos <= 0;
  }

  /** Forgets the progress of a queue that was removed. */
  void forget(String queue) {
    scans.keySet().removeIf(watch -> watch.queue().equals(queue));
  }

  /** One step for each queue that is due. */
  void expire(Function<String, QueueRules> rules) {
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

  private void step(String name, int queue, EventState state, Duration retention) {
    Watch watch = new Watch(name, state);
    if (retention == null) {
      scans.remove(watch);
      return;
    }
    long now = ledger.steadyNow();
    if (!isDue(name, state, retention, ledger.nanos())) {
      return;
    }
    Scan known = scans.get(watch);
    boolean continues = known != null && known.retention().equals(retention) && known.after() > 0;
    Scan scan = continues ? known : Scan.first(retention, now, ledger.nanos());
    scans.put(watch, scanned(queue, state, scan, now));
  }

  private Scan scanned(int queue, EventState state, Scan scan, long now) {
    long cutoff = now - scan.retention().toMillis();
    int limit = ledger.page(queue, STEP);
    List<Rows.Row> page = ledger.rows().in(queue, state, scan.after(), limit);
    List<DeliveryState> old = new ArrayList<>();
    long oldest = scan.oldest();
    boolean more = page.size() == limit;
    for (Rows.Row row : page) {
      DeliveryState delivery = row.delivery();
      if (since(delivery) <= cutoff) {
        old.add(delivery);
      } else {
        oldest = Math.min(oldest, since(delivery));
      }
      if (state == EventState.READY && delivery.storedAt() > cutoff) {
        // Sequence numbers increase with the time of storing, so all later events are younger.
        more = false;
        break;
      }
    }
    end(queue, state, old, scan.retention());
    return more
        ? new Scan(scan.retention(), page.get(limit - 1).delivery().seq(), oldest, ledger.nanos())
        : new Scan(scan.retention(), 0, now, next(scan.retention(), oldest - cutoff));
  }

  /** When the event became ready, or died. */
  private static long since(DeliveryState delivery) {
    return Math.max(delivery.storedAt(), delivery.heldAt());
  }

  /**
   * Not before the next event can expire, and not so often that the scans cost more than they free.
   */
  private long next(Duration retention, long millisUntilDue) {
    long pause = Math.max(SHORTEST_PAUSE, retention.toMillis() / PAUSES_PER_RETENTION);
    return ledger.nanos() + Math.max(pause, millisUntilDue) * NANOS_PER_MILLI;
  }

  private void end(int queue, EventState state, List<DeliveryState> old, Duration retention) {
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
            "older than the queue's retention of " + Durations.format(retention),
            now);
  }

  /** What was scanned in the undone transaction is scanned again. */
  void rollback() {
    scans.clear();
  }
}

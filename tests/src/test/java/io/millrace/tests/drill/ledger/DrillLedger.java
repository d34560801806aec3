package io.millrace.tests.drill.ledger;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Everything that producers and consumers saw, from the drill's begin on. Thread-safe. */
public final class DrillLedger {
  private final Queue<SentBatch> sent = new ConcurrentLinkedQueue<>();
  private final Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
  private final Queue<Crash> crashes = new ConcurrentLinkedQueue<>();
  private final Map<String, Set<String>> dead = new ConcurrentHashMap<>();
  private final AtomicLong stored = new AtomicLong();
  private final LongestGap sending = new LongestGap();

  /** A batch has been tried for the last time. */
  public void sent(SentBatch batch, long now) {
    sent.add(batch);
    if (batch.outcome() == BatchOutcome.STORED) {
      stored.addAndGet(batch.ids().size());
      sending.seen(now);
    }
  }

  public void delivered(Collection<Delivery> some) {
    deliveries.addAll(some);
  }

  public void crashed(String node, long now) {
    crashes.add(new Crash(node, now));
  }

  /** The event lies in the dead letters of that node. */
  public void dead(String node, String id) {
    dead.computeIfAbsent(id, key -> ConcurrentHashMap.newKeySet()).add(node);
  }

  /** The longest time between two acknowledged batches since the gap was last begun. */
  public LongestGap sending() {
    return sending;
  }

  /** Events acknowledged so far. */
  public long stored() {
    return stored.get();
  }

  List<SentBatch> batches() {
    return List.copyOf(sent);
  }

  List<Delivery> deliveries() {
    return List.copyOf(deliveries);
  }

  /** On which nodes each dead event lies. */
  Map<String, Set<String>> dead() {
    return Map.copyOf(dead);
  }

  List<Crash> crashes() {
    return List.copyOf(crashes);
  }
}

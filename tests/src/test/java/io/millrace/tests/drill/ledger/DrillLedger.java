package io.millrace.tests.drill.ledger;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Everything that producers and consumers saw since the drill's start. Thread-safe. */
public final class DrillLedger {
  private final Queue<SentBatch> sent = new ConcurrentLinkedQueue<>();
  private final Queue<Delivery> deliveries = new ConcurrentLinkedQueue<>();
  private final Queue<Crash> crashes = new ConcurrentLinkedQueue<>();
  private final Map<String, Set<String>> dead = new ConcurrentHashMap<>();
  private final AtomicLong stored = new AtomicLong();
  private final LongestGap sending = new LongestGap();

  /** Records a batch after its last try. */
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

  /** Records that the event is a dead letter on that node. */
  public void dead(String node, String id) {
    dead.computeIfAbsent(id, key -> ConcurrentHashMap.newKeySet()).add(node);
  }

  /** The longest time between two acknowledged batches since the last start of the measurement. */
  public LongestGap sending() {
    return sending;
  }

  /** The number of events acknowledged so far. */
  public long stored() {
    return stored.get();
  }

  List<SentBatch> batches() {
    return List.copyOf(sent);
  }

  List<Delivery> deliveries() {
    return List.copyOf(deliveries);
  }

  /** The nodes that hold each dead letter. */
  Map<String, Set<String>> dead() {
    return Map.copyOf(dead);
  }

  List<Crash> crashes() {
    return List.copyOf(crashes);
  }
}

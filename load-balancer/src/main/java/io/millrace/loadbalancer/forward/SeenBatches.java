package io.millrace.loadbalancer.forward;

import io.millrace.platform.clock.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Where batches were sent recently, so that a repeated batch reaches the node that knows its name
 * and is stored once. Bounded in time and number; names of the queue with the most names are
 * evicted first, so that a queue keeps its names as long as it has less than an equal share. Not
 * kept across a restart. Thread-safe.
 */
final class SeenBatches {
  /** The same time as on queue nodes. */
  static final Duration KEPT = Duration.ofMinutes(10);

  static final int MAX = 100_000;

  private static final Comparator<Dated> BY_AGE = Comparator.comparingLong(Dated::serial);

  private final Clock clock;
  private final int max;
  private final Runnable forgottenEarly;
  // In the order of time; guarded by this, as is all below.
  private final Map<Name, Dated> seen = new LinkedHashMap<>();
  // Names of each queue that has any. A tree gives memory back when others take the queue's share,
  // a hash table would keep the size of the queue's best time.
  private final Map<String, NavigableSet<Dated>> queues = new HashMap<>();
  // Of queues with equally many names the last is the one with the oldest: a name that has just
  // come is never the first to go.
  private final NavigableSet<NavigableSet<Dated>> bySize =
      new TreeSet<>(
          Comparator.<NavigableSet<Dated>>comparingInt(NavigableSet::size)
              .thenComparing(NavigableSet::first, BY_AGE.reversed()));
  private long lastSerial;

  /**
   * Without any batches.
   *
   * @param max the most names remembered
   * @param forgottenEarly called with each name that is evicted early; must be fast
   */
  SeenBatches(Clock clock, int max, Runnable forgottenEarly) {
    this.clock = clock;
    this.max = max;
    this.forgottenEarly = forgottenEarly;
  }

  /**
   * A recent batch.
   *
   * @param node the queue node it was sent to
   * @param stored events that the node has acknowledged; 0 if the outcome is unknown
   */
  record Seen(String node, int stored) {
    boolean unknown() {
      return stored == 0;
    }
  }

  synchronized Optional<Seen> find(Batch batch) {
    forgetOld();
    return Optional.ofNullable(seen.get(Name.of(batch))).map(found -> found.what);
  }

  synchronized void remember(Batch batch, String node, int stored) {
    Name name = Name.of(batch);
    Dated before = seen.get(name);
    if (before != null) {
      forget(before);
    }
    Dated dated = new Dated(name, new Seen(node, stored), clock.nanoTime(), ++lastSerial);
    seen.put(name, dated);
    change(name.queue, names -> names.add(dated));
    forgetOld();
    while (seen.size() > max) {
      forget(bySize.last().first());
      forgottenEarly.run();
    }
  }

  private void forgetOld() {
    long now = clock.nanoTime();
    while (!seen.isEmpty()) {
      Dated eldest = seen.values().iterator().next();
      if (now - eldest.at < KEPT.toNanos()) {
        return;
      }
      forget(eldest);
    }
  }

  private void forget(Dated dated) {
    seen.remove(dated.name);
    change(dated.name.queue, names -> names.remove(dated));
  }

  /** Names change only while they are not in the order of sizes. */
  private void change(String queue, Consumer<NavigableSet<Dated>> change) {
    NavigableSet<Dated> names = queues.computeIfAbsent(queue, none -> new TreeSet<>(BY_AGE));
    if (!names.isEmpty()) {
      bySize.remove(names);
    }
    change.accept(names);
    if (names.isEmpty()) {
      queues.remove(queue);
    } else {
      bySize.add(names);
    }
  }

  /** Serial numbers distinguish names of the same time. */
  private record Dated(Name name, Seen what, long at, long serial) {}

  private record Name(String queue, String batch) {
    static Name of(Batch batch) {
      return new Name(batch.queue(), batch.name());
    }
  }
}

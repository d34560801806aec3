package io.millrace.queuenode.store;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * The remembered batch names of all queues. Eviction takes from the queue with the most names, so a
 * queue keeps its names while it has fewer than its equal share, however many other queues add.
 * Changes are visible immediately, and {@link #rollback} undoes those since {@link #commit}. One
 * thread.
 *
 * @param <Q> names of one queue
 */
public final class BatchShares<Q extends QueueBatches<?>> {
  /** The most names removed in one commit, so that no commit exceeds a server's timeout. */
  public static final int FORGOTTEN_AT_ONCE = 5_000;

  private final IntFunction<Q> maker;
  private final Map<Integer, Q> queues = new HashMap<>();
  // Of queues with equally many names the last is the one with the oldest name, so a new name is
  // never the first to be evicted.
  private final NavigableSet<Q> bySize =
      new TreeSet<>(
          Comparator.<Q>comparingLong(QueueBatches::count)
              .thenComparing(Comparator.<Q>comparingLong(QueueBatches::oldest).reversed()));
  private final Set<Q> changed = new HashSet<>();
  private long count;
  private long oldest = Long.MAX_VALUE;
  private boolean oldestKnown = true;

  public BatchShares(IntFunction<Q> maker) {
    this.maker = maker;
  }

  /** The number of names of all queues. */
  public long count() {
    return count;
  }

  /** Serial number of the oldest name; Long.MAX_VALUE if there is none. */
  public long oldest() {
    if (!oldestKnown) {
      oldest =
          queues.values().stream().mapToLong(QueueBatches::oldest).min().orElse(Long.MAX_VALUE);
      oldestKnown = true;
    }
    return oldest;
  }

  /** The names of a queue; null if it has none. Only {@link #add} changes them. */
  Q names(int queue) {
    return queues.get(queue);
  }

  public void add(int queue, Consumer<Q> addition) {
    change(queues.computeIfAbsent(queue, maker::apply), addition);
  }

  /** The queue that is evicted from next; there must be names. */
  public Q largest() {
    return bySize.last();
  }

  /** Evicts the oldest name of the queue with the most names. */
  public void dropOfLargest() {
    change(largest(), QueueBatches::dropOldest);
  }

  /** Forgets the names up to a serial number. */
  public void forget(long through) {
    for (Q names : queues.values()) {
      if (names.oldest() <= through) {
        change(names, old -> dropThrough(old, through));
      }
    }
  }

  private static void dropThrough(QueueBatches<?> names, long through) {
    while (names.oldest() <= through) {
      names.dropOldest();
    }
  }

  private void change(Q names, Consumer<? super Q> change) {
    long oldestBefore = names.oldest();
    if (names.count() > 0) {
      bySize.remove(names);
    }
    count -= names.count();
    change.accept(names);
    count += names.count();
    if (names.count() > 0) {
      bySize.add(names);
    }
    oldestKnown &= names.oldest() == oldestBefore;
    changed.add(names);
  }

  public void commit() {
    changed.forEach(QueueBatches::commit);
    changesEnded();
  }

  public void rollback() {
    List.copyOf(changed).forEach(names -> change(names, QueueBatches::rollback));
    changesEnded();
  }

  private void changesEnded() {
    changed.stream().filter(names -> names.count() == 0).forEach(n -> queues.remove(n.queue()));
    changed.clear();
  }

  /** The committed names by queue, for another thread; the names are not copied. */
  List<Q> queues() {
    return List.copyOf(queues.values());
  }
}

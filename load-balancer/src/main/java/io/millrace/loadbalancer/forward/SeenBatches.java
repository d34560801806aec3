package io.millrace.loadbalancer.forward;

import io.millrace.platform.time.Clock;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where batches went lately, so that a producer's repetition finds the node that knows the name and
 * is stored once. Bounded in time and number; a balancer that restarts has forgotten. Thread-safe.
 */
final class SeenBatches {
  /** As long as queue nodes remember names. */
  static final Duration KEPT = Duration.ofMinutes(10);

  static final int MOST = 100_000;

  private final Clock clock;
  private final int most;
  private final Runnable forgottenEarly;
  // In the order of time; guarded by this.
  private final Map<Name, Dated> seen = new LinkedHashMap<>();

  /**
   * Nothing seen yet.
   *
   * @param most names remembered at most
   * @param forgottenEarly told each name that is forgotten because more came; must be short
   */
  SeenBatches(Clock clock, int most, Runnable forgottenEarly) {
    this.clock = clock;
    this.most = most;
    this.forgottenEarly = forgottenEarly;
  }

  /**
   * What became of a batch.
   *
   * @param node the queue node it was sent to
   * @param stored events that the node has acknowledged; 0 when the outcome is not known
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
    seen.remove(name);
    seen.put(name, new Dated(new Seen(node, stored), clock.nanoTime()));
    forgetOld();
  }

  private void forgetOld() {
    long now = clock.nanoTime();
    Iterator<Dated> eldest = seen.values().iterator();
    while (eldest.hasNext()) {
      boolean old = now - eldest.next().at >= KEPT.toNanos();
      if (!old && seen.size() <= most) {
        return;
      }
      eldest.remove();
      if (!old) {
        forgottenEarly.run();
      }
    }
  }

  private record Dated(Seen what, long at) {}

  private record Name(String queue, String batch) {
    static Name of(Batch batch) {
      return new Name(batch.queue(), batch.name());
    }
  }
}

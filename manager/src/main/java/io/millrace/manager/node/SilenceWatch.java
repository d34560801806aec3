package io.millrace.manager.node;

import io.millrace.manager.node.store.NodeRow;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Measures how long nodes have been silent: an outage is not a death, and a step of a clock is none
 * either.
 *
 * <p>A node is silent from the first look at which its last heartbeat was seen, on this process's
 * monotonic clock; what the heartbeat's time was, by whatever clock, does not matter. Nodes renew
 * through central managers and the database, so each look comes after a proof that the database
 * takes writes ({@link io.millrace.platform.claim.store.WriteProof}), and after a gap between two
 * looks, or a proof that failed, all silences begin anew; that of a node in maintenance begins with
 * the maintenance's end. Pure but for the memory of the last look; not thread-safe.
 */
final class SilenceWatch {
  private record Heard(Instant at, long sinceNanos, boolean excused) {}

  private final long longestGapNanos;
  private Map<UUID, Heard> heard = Map.of();
  private long lastNanos;

  /**
   * A watch that has seen nothing.
   *
   * @param longestGap between two looks, beyond which nothing is known of the time between
   */
  SilenceWatch(Duration longestGap) {
    this.longestGapNanos = longestGap.toNanos();
  }

  /** Forgets everything: what heartbeats go through was away. */
  void interrupt() {
    heard = Map.of();
  }

  /**
   * Notes a look at the nodes, which began after writes were proved to get through.
   *
   * @param database the database's clock, by which maintenances end
   * @param nanos this process's monotonic clock
   * @return how long each has been silent at least
   */
  Map<UUID, Duration> look(List<NodeRow> nodes, Instant database, long nanos) {
    boolean gap = nanos - lastNanos > longestGapNanos;
    Map<UUID, Heard> next = new HashMap<>();
    Map<UUID, Duration> silences = new HashMap<>();
    for (NodeRow node : nodes) {
      Heard before = heard.get(node.id());
      boolean goesOn = before != null && before.at().equals(node.heardAt());
      boolean excused = node.order().excusesSilence(database);
      boolean counts = goesOn && !gap && !excused && !before.excused();
      Heard now = new Heard(node.heardAt(), counts ? before.sinceNanos() : nanos, excused);
      next.put(node.id(), now);
      silences.put(node.id(), Duration.ofNanos(nanos - now.sinceNanos()));
    }
    heard = next;
    lastNanos = nanos;
    return silences;
  }
}

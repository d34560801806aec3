package io.millrace.manager.node;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Measures how long nodes have been silent, without mistaking an outage or a clock step for
 * silence.
 *
 * <p>A node is silent from the first observation that saw its last heartbeat, by this process's
 * monotonic clock; the recorded time of the heartbeat does not matter. Nodes renew their leases
 * through central managers and the database, so each observation begins with a proof that the
 * database accepts writes ({@link io.millrace.platform.database.WriteProof}), and after a gap
 * between two observations, or a failed proof, all silences start again; that of a node in
 * maintenance starts at the end of the maintenance. Remembers the last observation, and is pure
 * otherwise; not thread-safe.
 */
final class SilenceWatch {
  /** A node, and the minimum time for which it has been silent. */
  record Silence(NodeRow node, Duration length) {}

  private record Heard(Instant at, long sinceNanos, boolean excused) {}

  private final long longestGapNanos;
  private final Runnable proof;
  private Map<UUID, Heard> heard = Map.of();
  private long lastNanos;

  /**
   * Creates a watch without observations.
   *
   * @param longestGap longest gap between two observations across which silence counts
   * @param proof that writes get through; throws when they do not
   */
  SilenceWatch(Duration longestGap, Runnable proof) {
    this.longestGapNanos = longestGap.toNanos();
    this.proof = proof;
  }

  /**
   * Observes the nodes, after the proof that writes succeed. Calls the suppliers after the proof,
   * in the order of the parameters; blocks as they do.
   *
   * @param nodes reads them
   * @param database the database's clock, by which maintenances end
   * @param monotonic this process's clock, in nanoseconds
   * @return all nodes
   * @throws RuntimeException thrown by the proof; then all earlier observations are discarded
   */
  List<Silence> observe(
      Supplier<List<NodeRow>> nodes, Supplier<Instant> database, LongSupplier monotonic) {
    try {
      proof.run();
    } catch (RuntimeException refused) {
      heard = Map.of();
      throw refused;
    }
    return note(nodes.get(), database.get(), monotonic.getAsLong());
  }

  private List<Silence> note(List<NodeRow> nodes, Instant database, long nanos) {
    boolean gap = nanos - lastNanos > longestGapNanos;
    Map<UUID, Heard> next = new HashMap<>();
    List<Silence> silences = new ArrayList<>();
    for (NodeRow node : nodes) {
      Heard before = heard.get(node.id());
      boolean unchanged = before != null && before.at().equals(node.heardAt());
      boolean excused = node.requestedStatus().excusesSilence(database);
      boolean counts = unchanged && !gap && !excused && !before.excused();
      Heard now = new Heard(node.heardAt(), counts ? before.sinceNanos() : nanos, excused);
      next.put(node.id(), now);
      silences.add(new Silence(node, Duration.ofNanos(nanos - now.sinceNanos())));
    }
    heard = next;
    lastNanos = nanos;
    return silences;
  }
}

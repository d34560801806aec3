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
 * Measures how long nodes have been silent: an outage is not a death, and a step of a clock is none
 * either.
 *
 * <p>A node is silent from the first look at which its last heartbeat was seen, on this process's
 * monotonic clock; what the heartbeat's time was, by whatever clock, does not matter. Nodes renew
 * through central managers and the database, so each look begins with a proof that the database
 * takes writes ({@link io.millrace.platform.database.WriteProof}), and after a gap between two
 * looks, or a proof that failed, all silences begin anew; that of a node in maintenance begins with
 * the maintenance's end. Pure but for the memory of the last look; not thread-safe.
 */
final class SilenceWatch {
  /** A node, and how long it has been silent at least. */
  record Silence(NodeRow node, Duration length) {}

  private record Heard(Instant at, long sinceNanos, boolean excused) {}

  private final long longestGapNanos;
  private final Runnable proof;
  private Map<UUID, Heard> heard = Map.of();
  private long lastNanos;

  /**
   * A watch that has seen nothing.
   *
   * @param longestGap between two looks, beyond which nothing is known of the time between
   * @param proof that writes get through; throws when they do not
   */
  SilenceWatch(Duration longestGap, Runnable proof) {
    this.longestGapNanos = longestGap.toNanos();
    this.proof = proof;
  }

  /**
   * Looks at the nodes once it is proved that writes get through. All are asked after the proof, in
   * this order; blocks as they do.
   *
   * @param nodes reads them
   * @param database the database's clock, by which maintenances end
   * @param monotonic this process's clock, in nanoseconds
   * @return every node that was read
   * @throws RuntimeException what the proof threw; then all that was seen before is forgotten
   */
  List<Silence> look(
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
      boolean goesOn = before != null && before.at().equals(node.heardAt());
      boolean excused = node.order().excusesSilence(database);
      boolean counts = goesOn && !gap && !excused && !before.excused();
      Heard now = new Heard(node.heardAt(), counts ? before.sinceNanos() : nanos, excused);
      next.put(node.id(), now);
      silences.add(new Silence(node, Duration.ofNanos(nanos - now.sinceNanos())));
    }
    heard = next;
    lastNanos = nanos;
    return silences;
  }
}

package io.millrace.manager.job;

import java.util.Comparator;
import java.util.Optional;

/**
 * One segment: the part of a queue on one queue node.
 *
 * @param queue name of the queue
 * @param node name of the queue node
 */
public record SegmentKey(String queue, String node) {
  /** By queue, then node: the order in which rows of segments are locked. */
  public static final Comparator<SegmentKey> ORDER =
      Comparator.comparing(SegmentKey::queue).thenComparing(SegmentKey::node);

  private static final String MANAGER = "pace:";

  /** The single-instance name of the segment's queue manager: {@code pace:<queue>@<node>}. */
  public String managerName() {
    return MANAGER + queue + "@" + node;
  }

  /** The segment whose queue manager has that single-instance name; empty for other names. */
  public static Optional<SegmentKey> ofManager(String single) {
    if (single == null || !single.startsWith(MANAGER)) {
      return Optional.empty();
    }
    // The name of a queue contains no @, that of a node may.
    int at = single.indexOf('@');
    return at < 0
        ? Optional.empty()
        : Optional.of(
            new SegmentKey(single.substring(MANAGER.length(), at), single.substring(at + 1)));
  }
}

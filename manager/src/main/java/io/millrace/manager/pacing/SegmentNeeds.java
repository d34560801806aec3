package io.millrace.manager.pacing;

import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.job.SegmentKey;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Which segments need a queue manager: those with points in the weight row, and those that still
 * hold unfinished events as their node reported last, silent nodes included. Those of a lost node
 * have nothing to read or to lease, and get theirs when it returns. Pure.
 */
public final class SegmentNeeds {
  private SegmentNeeds() {}

  /**
   * The segments in need.
   *
   * @param worked queues that define a worker; others need no manager
   * @param weights every queue's weight row
   * @param reported every segment as last reported
   * @param lost names of the lost nodes
   */
  public static Set<SegmentKey> of(
      Set<String> worked,
      Collection<QueueWeights> weights,
      Collection<SegmentFigures> reported,
      Set<String> lost) {
    Set<SegmentKey> needed = new HashSet<>();
    for (QueueWeights row : weights) {
      row.points().keySet().forEach(node -> needed.add(new SegmentKey(row.queue(), node)));
    }
    for (SegmentFigures segment : reported) {
      if (segment.unfinished() > 0) {
        needed.add(new SegmentKey(segment.queue(), segment.node()));
      }
    }
    needed.removeIf(segment -> !worked.contains(segment.queue()) || lost.contains(segment.node()));
    return needed;
  }
}

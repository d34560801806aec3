package io.millrace.queuenode.segment;

import io.millrace.api.queue.SegmentFigures.SegmentLoad;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What others have found out about this node's segments: what each asks of the node, and why it
 * takes no events. Thread-safe; never blocks.
 */
public final class SegmentNotes {
  private final Map<String, Optional<String>> troubles = new ConcurrentHashMap<>();
  private final Optional<String> atFirst;
  private volatile Map<String, SegmentLoad> loads = Map.of();

  /** Every segment takes events until somebody notes a trouble. */
  public SegmentNotes() {
    this(Optional.empty());
  }

  /**
   * Nothing noted yet.
   *
   * @param atFirst why a segment of which nothing was noted takes no events; empty when it does
   */
  public SegmentNotes(Optional<String> atFirst) {
    this.atFirst = atFirst;
  }

  /** Replaces the loads of all segments, by queue. */
  public void loads(Map<String, SegmentLoad> measured) {
    loads = Map.copyOf(measured);
  }

  /** What the segment asks of the node; NONE while nothing was measured. */
  public SegmentLoad load(String queue) {
    return loads.getOrDefault(queue, SegmentLoad.NONE);
  }

  /** Notes why the segment takes no events, for people; empty that it takes them. */
  public void trouble(String queue, Optional<String> words) {
    troubles.put(queue, words);
  }

  /** Forgets what was noted of a segment that has closed. */
  public void closed(String queue) {
    troubles.remove(queue);
  }

  /** Why the segment takes no events; empty when it does. */
  public Optional<String> trouble(String queue) {
    return troubles.getOrDefault(queue, atFirst);
  }
}

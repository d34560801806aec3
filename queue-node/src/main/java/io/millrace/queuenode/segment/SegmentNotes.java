package io.millrace.queuenode.segment;

import io.millrace.api.queue.SegmentFigures.SegmentLoad;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is known about this node's segments: their loads, and why they accept no events.
 * Thread-safe; never blocks.
 */
public final class SegmentNotes {
  private final Map<String, Optional<String>> troubles = new ConcurrentHashMap<>();
  private final Optional<String> atFirst;
  private volatile Map<String, SegmentLoad> loads = Map.of();

  /** Segments accept events unless a reason against it is recorded. */
  public SegmentNotes() {
    this(Optional.empty());
  }

  /**
   * Without any records.
   *
   * @param atFirst why a segment without a record accepts no events; empty if it does
   */
  public SegmentNotes(Optional<String> atFirst) {
    this.atFirst = atFirst;
  }

  /** Replaces the loads of all segments, by queue. */
  public void loads(Map<String, SegmentLoad> measured) {
    loads = Map.copyOf(measured);
  }

  /** The load of the segment; NONE while not measured. */
  public SegmentLoad load(String queue) {
    return loads.getOrDefault(queue, SegmentLoad.NONE);
  }

  /** Records a readable reason why the segment accepts no events; empty if it does. */
  public void trouble(String queue, Optional<String> reason) {
    troubles.put(queue, reason);
  }

  /** Removes the record of a closed segment. */
  public void closed(String queue) {
    troubles.remove(queue);
  }

  /** Why the segment accepts no events; empty if it does. */
  public Optional<String> trouble(String queue) {
    return troubles.getOrDefault(queue, atFirst);
  }
}

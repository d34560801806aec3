package io.millrace.queuenode.node;

import io.millrace.queuenode.load.SegmentLoadRule.SegmentCounters;
import io.millrace.queuenode.store.SegmentTotals;
import java.util.HashMap;
import java.util.Map;

/** What the store and its writer have counted of each segment, as the load meter reads it. */
final class StoreCounters {
  private StoreCounters() {}

  /**
   * The counters by queue.
   *
   * @param totals of every segment that ever held an event
   * @param storeNanos time that the writer has worked for each queue
   */
  static Map<String, SegmentCounters> of(
      Map<String, SegmentTotals> totals, Map<String, Long> storeNanos) {
    Map<String, SegmentCounters> counters = new HashMap<>();
    totals.forEach(
        (queue, counted) ->
            counters.put(
                queue,
                new SegmentCounters(
                    counted.inserted(),
                    counted.delivered(),
                    counted.insertedBytes() + counted.deliveredBytes(),
                    storeNanos.getOrDefault(queue, 0L))));
    return Map.copyOf(counters);
  }
}

package io.millrace.manager.insight;

import io.millrace.api.queue.DelayBuckets;
import io.millrace.api.queue.SegmentFigures;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * The figures of a queue over all its segments. Pure.
 *
 * @param waiting ready events
 * @param delayed events not ready yet
 * @param leased events in the hands of workers
 * @param dead dead letters
 * @param oldestSeconds age of the oldest waiting event
 * @param inserted events stored since ever
 * @param acknowledged events done since ever
 * @param bytes size of all events kept
 * @param delays counts of the time from stored to acknowledged, by {@link DelayBuckets}
 */
record QueueTotals(
    long waiting,
    long delayed,
    long leased,
    long dead,
    double oldestSeconds,
    long inserted,
    long acknowledged,
    long bytes,
    List<Long> delays) {
  static QueueTotals of(Collection<SegmentFigures> segments) {
    return new QueueTotals(
        segments.stream().mapToLong(SegmentFigures::waiting).sum(),
        segments.stream().mapToLong(SegmentFigures::delayed).sum(),
        segments.stream().mapToLong(SegmentFigures::leased).sum(),
        segments.stream().mapToLong(SegmentFigures::dead).sum(),
        segments.stream().mapToDouble(SegmentFigures::oldestSeconds).max().orElse(0),
        segments.stream().mapToLong(SegmentFigures::inserted).sum(),
        segments.stream().mapToLong(SegmentFigures::acknowledged).sum(),
        segments.stream().mapToLong(SegmentFigures::bytes).sum(),
        addedDelays(segments));
  }

  private static List<Long> addedDelays(Collection<SegmentFigures> segments) {
    List<Long> sum = new ArrayList<>(Collections.nCopies(DelayBuckets.COUNT, 0L));
    for (SegmentFigures segment : segments) {
      List<Long> delays = segment.delays() == null ? List.of() : segment.delays();
      for (int bucket = 0; bucket < Math.min(delays.size(), sum.size()); bucket++) {
        sum.set(bucket, sum.get(bucket) + delays.get(bucket));
      }
    }
    return List.copyOf(sum);
  }
}

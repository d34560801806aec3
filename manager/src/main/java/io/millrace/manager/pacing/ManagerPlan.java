package io.millrace.manager.pacing;

import io.millrace.manager.job.SegmentKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The changes after which every segment in need has exactly one queue manager. Pure.
 *
 * @param create segments that need one
 * @param end jobs that are not needed, including the younger of two for one segment
 */
record ManagerPlan(List<SegmentKey> create, List<Long> end) {
  /**
   * A live queue manager.
   *
   * @param job its job
   * @param segment the segment that it manages
   */
  public record LiveManager(long job, SegmentKey segment) {}

  public ManagerPlan {
    create = List.copyOf(create);
    end = List.copyOf(end);
  }

  /** Compares the segments in need with the live managers. */
  public static ManagerPlan of(Set<SegmentKey> needed, Collection<LiveManager> live) {
    Map<SegmentKey, TreeSet<Long>> jobs = new TreeMap<>(SegmentKey.ORDER);
    live.forEach(one -> jobs.computeIfAbsent(one.segment(), key -> new TreeSet<>()).add(one.job()));
    List<Long> end = new ArrayList<>();
    jobs.forEach(
        (segment, managers) -> {
          // The oldest stays: it is the one that may have submitted workers already.
          boolean keepOldest = needed.contains(segment);
          managers.stream().skip(keepOldest ? 1 : 0).forEach(end::add);
        });
    List<SegmentKey> create =
        needed.stream()
            .filter(segment -> !jobs.containsKey(segment))
            .sorted(SegmentKey.ORDER)
            .toList();
    return new ManagerPlan(create, end);
  }
}

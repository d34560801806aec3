package io.millrace.manager.partition;

import io.millrace.manager.partition.MemberDao.MemberRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Measures how long members have been silent, on this process's monotonic clock from the first
 * observation of their last heartbeat: no step of any clock ends a membership. After a gap between
 * two observations, or when the database took no writes before one, all silences restart, because
 * the path of the heartbeats itself may have been interrupted. Stateful; not thread-safe.
 */
final class MemberSilence {
  private record Life(String group, String name, long term, long beats) {
    static Life of(MemberRow row) {
      return new Life(row.group(), row.name(), row.term(), row.beats());
    }
  }

  private final long longestGapNanos;
  private final Runnable proof;
  private Map<Life, Long> since = Map.of();
  private long lastNanos;

  /**
   * A watch without observations.
   *
   * @param longestGap between two observations, beyond which the time between does not count
   * @param proof checks that writes succeed; throws if they do not
   */
  MemberSilence(Duration longestGap, Runnable proof) {
    this.longestGapNanos = longestGap.toNanos();
    this.proof = proof;
  }

  /**
   * Observes the members after checking that writes succeed. Blocks as its arguments do.
   *
   * @param members reads the members; called after the check
   * @param monotonic this process's clock, in nanoseconds; read after that
   * @return current members that have been silent for longer than their time to live
   * @throws RuntimeException the failure of the check; earlier observations are discarded then
   */
  List<MemberRow> check(Supplier<List<MemberRow>> members, LongSupplier monotonic) {
    try {
      proof.run();
    } catch (RuntimeException refused) {
      since = Map.of();
      throw refused;
    }
    return note(members.get(), monotonic.getAsLong());
  }

  private List<MemberRow> note(List<MemberRow> rows, long nanos) {
    boolean gap = nanos - lastNanos > longestGapNanos;
    Map<Life, Long> next = new HashMap<>();
    List<MemberRow> silent = new ArrayList<>();
    for (MemberRow row : rows) {
      if (row.isAlive()) {
        Life incarnation = Life.of(row);
        long from = gap ? nanos : since.getOrDefault(incarnation, nanos);
        next.put(incarnation, from);
        if (nanos - from >= row.ttl().toNanos()) {
          silent.add(row);
        }
      }
    }
    since = next;
    lastNanos = nanos;
    return silent;
  }
}

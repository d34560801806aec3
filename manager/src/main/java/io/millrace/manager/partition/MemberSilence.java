package io.millrace.manager.partition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Measures how long members have been silent, on this process's monotonic clock from the first look
 * that found their last heartbeat: no step of any clock ends a membership. After a gap between two
 * looks, or when the database took no writes before one, all silences begin anew, because what was
 * away then may be what heartbeats go through. Remembers the last look; not thread-safe.
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
   * A watch that has seen nothing.
   *
   * @param longestGap between two looks, beyond which nothing is known of the time between
   * @param proof that writes get through; throws when they do not
   */
  MemberSilence(Duration longestGap, Runnable proof) {
    this.longestGapNanos = longestGap.toNanos();
    this.proof = proof;
  }

  /**
   * Looks at the members once it is proved that writes get through; blocks as what it asks does.
   *
   * @param members reads them; asked after the proof
   * @param monotonic this process's clock, in nanoseconds; asked after that
   * @return those who live and have been silent for longer than they may
   * @throws RuntimeException what the proof threw; then all that was seen before is forgotten
   */
  List<MemberRow> look(Supplier<List<MemberRow>> members, LongSupplier monotonic) {
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
      if (row.lives()) {
        Life life = Life.of(row);
        long from = gap ? nanos : since.getOrDefault(life, nanos);
        next.put(life, from);
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

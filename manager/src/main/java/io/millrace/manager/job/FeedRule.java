package io.millrace.manager.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides how many elements of each array go on next: pure.
 *
 * <p>Each array keeps a small number of elements waiting, so that none floods the jobs that are
 * ready and all take turns with other jobs by the usual rules. It is filled up again when half of
 * them are gone, so that elements are made in batches.
 */
final class FeedRule {
  /** Elements of one array that wait for a slot at the same time, at the most. */
  static final int LOOK_AHEAD = 500;

  /** Elements that one feeding lets go on, at the most. */
  static final int MOST = 1000;

  private FeedRule() {}

  /**
   * An array that may be fed.
   *
   * @param array its id
   * @param limit elements that may wait or run at the same time; 0 for any number
   * @param waiting elements that wait for a slot
   * @param live elements placed or running
   * @param available elements that could go on
   */
  record Hungry(long array, int limit, int waiting, int live, long available) {
    // Elements that wait count against the limit, so that it holds however many are placed at once.
    int appetite(int lookAhead) {
      int gap = lookAhead - waiting;
      if (gap <= 0 || (waiting > 0 && 2 * gap < lookAhead && limit == 0)) {
        return 0;
      }
      long room = limit == 0 ? gap : Math.min(gap, limit - waiting - live);
      return (int) Math.max(0, Math.min(room, available));
    }
  }

  /**
   * The elements that go on, by array; arrays that get none are left out.
   *
   * @param room jobs of the pool that could be placed soon
   */
  static Map<Long, Integer> portions(List<Hungry> arrays, int room) {
    int lookAhead = Math.max(1, Math.min(room, LOOK_AHEAD));
    List<Hungry> byAppetite =
        arrays.stream()
            .filter(array -> array.appetite(lookAhead) > 0)
            .sorted(Comparator.comparingInt(array -> array.appetite(lookAhead)))
            .toList();
    List<Hungry> left = new ArrayList<>(byAppetite);
    Map<Long, Integer> portions = new HashMap<>();
    int rest = MOST;
    for (Hungry array : byAppetite) {
      int fair = Math.max(1, rest / left.size());
      int portion = Math.min(Math.min(array.appetite(lookAhead), fair), rest);
      if (portion > 0) {
        portions.put(array.array(), portion);
        rest -= portion;
      }
      left.remove(0);
    }
    return portions;
  }
}

package io.millrace.manager.job;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides how many elements of each array start next. Pure.
 *
 * <p>Each array keeps a small number of elements waiting, so that none floods the ready jobs and
 * all take turns with other jobs by the usual rules. The number is topped up when half of them have
 * started, so that elements are created in batches.
 */
final class ExpansionPolicy {
  /** Most elements of one array that wait for a slot at the same time. */
  static final int LOOK_AHEAD = 500;

  /** Maximum of elements that one expansion releases. */
  static final int MAX = 1000;

  private ExpansionPolicy() {}

  /**
   * An array that may be expanded.
   *
   * @param array its id
   * @param limit elements that may wait or run at the same time; 0 for any number
   * @param waiting elements that wait for a slot
   * @param live elements placed or running
   * @param available elements that could be released
   */
  record Expandable(long array, int limit, int waiting, int live, long available) {
    // Waiting elements count against the limit, so that it holds however many start at once.
    int demand(int lookAhead) {
      int gap = lookAhead - waiting;
      if (gap <= 0 || (waiting > 0 && 2 * gap < lookAhead && limit == 0)) {
        return 0;
      }
      long max = limit == 0 ? gap : Math.min(gap, limit - waiting - live);
      return (int) Math.max(0, Math.min(max, available));
    }
  }

  /**
   * The number of elements to release, by array; arrays that get none are left out.
   *
   * @param capacity jobs of the pool that could be placed soon
   */
  static Map<Long, Integer> quotas(List<Expandable> arrays, int capacity) {
    int lookAhead = Math.max(1, Math.min(capacity, LOOK_AHEAD));
    List<Expandable> byDemand =
        arrays.stream()
            .filter(array -> array.demand(lookAhead) > 0)
            .sorted(Comparator.comparingInt(array -> array.demand(lookAhead)))
            .toList();
    Map<Long, Integer> quotas = new HashMap<>();
    int rest = MAX;
    int left = byDemand.size();
    for (Expandable array : byDemand) {
      int fair = Math.max(1, rest / left);
      int quota = Math.min(Math.min(array.demand(lookAhead), fair), rest);
      if (quota > 0) {
        quotas.put(array.array(), quota);
        rest -= quota;
      }
      left--;
    }
    return quotas;
  }
}

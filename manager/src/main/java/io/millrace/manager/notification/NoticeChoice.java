package io.millrace.manager.notification;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Chooses which due notices a run sends. Pure. */
final class NoticeChoice {
  private NoticeChoice() {}

  /**
   * One notice for each destination, those first whose last turn is the longest ago; further
   * notices for the same destinations only while fewer are chosen than may be.
   *
   * @param due in the order in which notices for one destination are sent
   * @param lastTurn number of the destination's last turn; 0 for none
   * @param most how many are chosen
   */
  static <N, D> List<N> choose(
      List<N> due, Function<N, D> destination, ToLongFunction<D> lastTurn, int most) {
    Map<D, Queue<N>> waiting = new LinkedHashMap<>();
    for (N notice : due) {
      waiting.computeIfAbsent(destination.apply(notice), one -> new ArrayDeque<>()).add(notice);
    }
    Queue<Queue<N>> turns = new ArrayDeque<>();
    waiting.entrySet().stream()
        .sorted(Comparator.comparingLong(entry -> lastTurn.applyAsLong(entry.getKey())))
        .forEach(entry -> turns.add(entry.getValue()));
    List<N> chosen = new ArrayList<>();
    while (chosen.size() < most && !turns.isEmpty()) {
      Queue<N> next = turns.remove();
      chosen.add(next.remove());
      if (!next.isEmpty()) {
        turns.add(next);
      }
    }
    return chosen;
  }
}

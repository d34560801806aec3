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
   * One notice for each server, those first whose last turn is the longest ago, and among those for
   * one server likewise for each address; further ones only while fewer are chosen than may be. The
   * longest due is always one of them, the last if it has no turn: whoever uses many servers keeps
   * no other waiting for ever.
   *
   * @param due the longest due first
   * @param lastTurn number of the last turn of an address or a server; 0 for none
   * @param most how many are chosen
   */
  static <N, D> List<N> choose(
      List<N> due,
      Function<N, D> address,
      Function<N, D> server,
      ToLongFunction<D> lastTurn,
      int most) {
    List<N> byAddress = inTurn(due, address, lastTurn);
    List<N> chosen = inTurn(byAddress, server, lastTurn).stream().limit(most).toList();
    if (chosen.isEmpty() || chosen.contains(due.get(0))) {
      return chosen;
    }
    List<N> withLongest = new ArrayList<>(chosen);
    withLongest.set(chosen.size() - 1, due.get(0));
    return withLongest;
  }

  private static <N, D> List<N> inTurn(
      List<N> notices, Function<N, D> destination, ToLongFunction<D> lastTurn) {
    Map<D, Queue<N>> waiting = new LinkedHashMap<>();
    for (N notice : notices) {
      waiting.computeIfAbsent(destination.apply(notice), one -> new ArrayDeque<>()).add(notice);
    }
    Queue<Queue<N>> turns = new ArrayDeque<>();
    waiting.entrySet().stream()
        .sorted(Comparator.comparingLong(entry -> lastTurn.applyAsLong(entry.getKey())))
        .forEach(entry -> turns.add(entry.getValue()));
    List<N> inTurn = new ArrayList<>();
    while (!turns.isEmpty()) {
      Queue<N> next = turns.remove();
      inTurn.add(next.remove());
      if (!next.isEmpty()) {
        turns.add(next);
      }
    }
    return inTurn;
  }
}

package io.millrace.bench.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.bench.session.KeyedEventFile.FileEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Sorts the events of one key so that each comes after those that it names; among those that may
 * come next, the one that stands first in the file.
 */
final class CausalOrder {
  private CausalOrder() {}

  /**
   * The events in order.
   *
   * @param events of one key, with distinct ids; what they name beyond these has no effect
   * @throws MillraceException INVALID_REQUEST if events name each other in a circle
   */
  static List<FileEvent> of(List<FileEvent> events) {
    Map<String, Integer> places = new HashMap<>();
    for (int i = 0; i < events.size(); i++) {
      places.put(events.get(i).id(), i);
    }
    int[] awaited = new int[events.size()];
    List<List<Integer>> followers = new ArrayList<>();
    events.forEach(event -> followers.add(new ArrayList<>()));
    for (int i = 0; i < events.size(); i++) {
      for (String id : events.get(i).previous()) {
        Integer before = places.get(id);
        if (before != null) {
          followers.get(before).add(i);
          awaited[i]++;
        }
      }
    }
    return sorted(events, awaited, followers);
  }

  private static List<FileEvent> sorted(
      List<FileEvent> events, int[] awaited, List<List<Integer>> followers) {
    PriorityQueue<Integer> ready = new PriorityQueue<>();
    for (int i = 0; i < awaited.length; i++) {
      if (awaited[i] == 0) {
        ready.add(i);
      }
    }
    List<FileEvent> sorted = new ArrayList<>(events.size());
    while (!ready.isEmpty()) {
      int next = ready.remove();
      sorted.add(events.get(next));
      for (int follower : followers.get(next)) {
        awaited[follower]--;
        if (awaited[follower] == 0) {
          ready.add(follower);
        }
      }
    }
    if (sorted.size() < events.size()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "events of the key %s name each other as earlier ones in a circle"
              .formatted(events.get(0).key()));
    }
    return sorted;
  }
}

package io.millrace.queuenode.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/** The steps that undo the in-memory changes of a transaction, last first. One thread. */
public final class UndoList {
  private final Deque<Runnable> steps = new ArrayDeque<>();

  public void add(Runnable step) {
    steps.push(step);
  }

  /** Changes a map; a null value removes the key. */
  public <K, V> void set(Map<K, V> map, K key, V value) {
    V before = put(map, key, value);
    steps.push(() -> put(map, key, before));
  }

  private static <K, V> V put(Map<K, V> map, K key, V value) {
    return value == null ? map.remove(key) : map.put(key, value);
  }

  public void forget() {
    steps.clear();
  }

  public void undo() {
    while (!steps.isEmpty()) {
      steps.pop().run();
    }
  }
}

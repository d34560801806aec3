package io.millrace.manager.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent;
import io.millrace.manager.queue.QueueEvents.Found;
import io.millrace.manager.queue.SegmentCalls.Answers;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Merges the dead letters of several nodes, newest first, page by page. A page begins where the
 * previous one ended on each node: the handles of the last letters shown, joined by commas. Pure.
 */
final class DeadPages {
  private DeadPages() {}

  /**
   * The numbers before which each node continues; a node without a number begins at its newest.
   *
   * @param before handles joined by commas; null for the first page
   */
  static Map<String, Long> cursor(String before) {
    Map<String, Long> cursor = new TreeMap<>();
    if (before != null && !before.isEmpty()) {
      for (String text : before.split(",", -1)) {
        Handle handle = Handle.parse(text);
        cursor.merge(handle.node(), handle.number(), Math::min);
      }
    }
    return cursor;
  }

  /**
   * The answer of a node.
   *
   * @param events newest first
   * @param cut whether it ends before the limit although the node holds more
   */
  record Part(List<DeadEvent> events, boolean cut) {}

  /**
   * Whether all letters are the node's own: whoever acts on a handle acts on the node that it
   * names.
   */
  static boolean isOf(String node, Part part) {
    return part.events().stream().allMatch(event -> isOwn(node, event.handle()));
  }

  private static boolean isOwn(String node, String handle) {
    try {
      return handle != null && Handle.parse(handle).node().equals(node);
    } catch (MillraceException noHandle) {
      return false;
    }
  }

  /** The page, and the beginning of the next. */
  static Found<DeadEvent> merge(Answers<Part> answers, Map<String, Long> cursor, int limit) {
    Map<String, Deque<DeadEvent>> heads = new TreeMap<>();
    answers.values().forEach((node, part) -> heads.put(node, new ArrayDeque<>(part.events())));
    Map<String, Long> shown = new TreeMap<>(cursor);
    List<DeadEvent> page = new ArrayList<>();
    Optional<String> newest = newest(heads);
    boolean cut = false;
    while (newest.isPresent() && page.size() < limit && !cut) {
      String node = newest.get();
      DeadEvent event = heads.get(node).removeFirst();
      page.add(event);
      Handle handle = Handle.parse(event.handle());
      shown.put(handle.node(), handle.number());
      // The next letters of this node may be newer than those of others.
      cut = answers.values().get(node).cut() && heads.get(node).isEmpty();
      newest = newest(heads);
    }
    // A node that returned as many as the limit may hold more.
    boolean more =
        cut
            || newest.isPresent()
            || answers.values().values().stream().anyMatch(part -> part.events().size() == limit);
    return new Found<>(page, answers.unreached(), more ? text(shown) : null);
  }

  private static Optional<String> newest(Map<String, Deque<DeadEvent>> heads) {
    return heads.entrySet().stream()
        .filter(node -> !node.getValue().isEmpty())
        .max(Comparator.comparing(node -> diedAt(node.getValue().peekFirst())))
        .map(Map.Entry::getKey);
  }

  private static Instant diedAt(DeadEvent event) {
    return event.diedAt() == null ? Instant.EPOCH : event.diedAt();
  }

  private static String text(Map<String, Long> shown) {
    return shown.entrySet().stream()
        .map(entry -> new Handle(entry.getKey(), entry.getValue()).toString())
        .collect(Collectors.joining(","));
  }

  /** Identifies a dead letter: {@code node/number}. */
  record Handle(String node, long number) {
    static Handle parse(String text) {
      int slash = text.lastIndexOf('/');
      try {
        if (slash > 0) {
          return new Handle(text.substring(0, slash), Long.parseLong(text.substring(slash + 1)));
        }
      } catch (NumberFormatException e) {
        // Reported below.
      }
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "a handle must be node/number, as in the list of dead letters, not '" + text + "'");
    }

    @Override
    public String toString() {
      return node + "/" + number;
    }
  }
}

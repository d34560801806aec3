package io.millrace.manager.queue;

import io.millrace.api.event.DeadSelection;
import io.millrace.api.queue.QueueNodeView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What each node is asked for of a selection: handles go to the node they name, all else to every
 * node. Pure.
 *
 * @param byNode the selection of each node that is to be asked
 * @param nowhere nodes that handles name and that hold no segment
 */
record Selections(Map<QueueNodeView, DeadSelection> byNode, List<String> nowhere) {
  static Selections of(DeadSelection selection, Collection<QueueNodeView> holders) {
    Map<QueueNodeView, DeadSelection> byNode = new LinkedHashMap<>();
    if (selection.handles() == null) {
      holders.forEach(node -> byNode.put(node, selection));
      return new Selections(byNode, List.of());
    }
    Map<String, List<String>> handles = new TreeMap<>();
    for (String handle : selection.handles()) {
      handles
          .computeIfAbsent(DeadPages.Handle.parse(handle).node(), node -> new ArrayList<>())
          .add(handle);
    }
    for (QueueNodeView node : holders) {
      List<String> own = handles.remove(node.name());
      if (own != null) {
        byNode.put(node, with(selection, own, selection.max()));
      }
    }
    return new Selections(byNode, List.copyOf(handles.keySet()));
  }

  /** The same selection, of at most so many. */
  static DeadSelection atMost(DeadSelection selection, int max) {
    return with(selection, selection.handles(), max);
  }

  private static DeadSelection with(DeadSelection selection, List<String> handles, Integer max) {
    return new DeadSelection(
        handles,
        selection.ids(),
        selection.reasonContains(),
        selection.olderThan(),
        selection.all(),
        max);
  }
}

package io.millrace.queuenode.segment;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadSelection;
import io.millrace.queuenode.store.SegmentStore.DeadChoice;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A selection of dead letters as one node's store understands it. Pure.
 *
 * @param choice which of this node's
 * @param most at most so many
 */
record ChosenDead(DeadChoice choice, long most) {
  /**
   * Reads a selection; handles of other nodes choose nothing here.
   *
   * @throws MillraceException INVALID_REQUEST for one that chooses everything without saying so
   */
  static ChosenDead of(String node, DeadSelection selection, Instant now) {
    if (selection.unbounded() && !selection.all()) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "no condition is given: name handles, ids, reasonContains or olderThan, or say all=true"
              + " for every dead letter of the queue");
    }
    if (selection.max() != null && selection.max() < 1) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST, "max is at least 1; leave it out for all");
    }
    return new ChosenDead(
        new DeadChoice(
            selection.handles() == null ? null : numbers(node, selection.handles()),
            selection.ids() == null ? null : Set.copyOf(selection.ids()),
            selection.reasonContains(),
            selection.olderThan() == null ? null : now.minus(selection.olderThan())),
        selection.max() == null ? Long.MAX_VALUE : selection.max());
  }

  private static Set<Long> numbers(String node, List<String> handles) {
    return handles.stream()
        .filter(handle -> named(handle).equals(node))
        .map(handle -> number(handle))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static String named(String handle) {
    int mark = handle.lastIndexOf(SegmentResponses.HANDLE_MARK);
    if (mark < 1) {
      throw notAHandle(handle, null);
    }
    return handle.substring(0, mark);
  }

  private static long number(String handle) {
    try {
      return Long.parseLong(handle.substring(handle.lastIndexOf(SegmentResponses.HANDLE_MARK) + 1));
    } catch (NumberFormatException e) {
      throw notAHandle(handle, e);
    }
  }

  private static MillraceException notAHandle(String handle, Exception cause) {
    return new MillraceException(
        ErrorCode.INVALID_REQUEST,
        "'" + handle + "' is not the handle of a dead letter; give them as the list shows them",
        cause);
  }
}

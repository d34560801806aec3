package io.millrace.api.event;

import java.time.Duration;
import java.util.List;

/**
 * Chooses dead letters; every condition that is given must hold. Without any, {@code all} must be
 * said.
 *
 * @param handles of these handles; null for any
 * @param ids of events with these ids; null for any
 * @param reasonContains whose reason holds this text; null for any
 * @param olderThan that died at least so long ago; null for any
 * @param all every dead letter of the queue
 * @param max at most so many, the oldest first; null for all
 */
public record DeadSelection(
    List<String> handles,
    List<String> ids,
    String reasonContains,
    Duration olderThan,
    boolean all,
    Integer max) {
  public DeadSelection {
    handles = handles == null ? null : List.copyOf(handles);
    ids = ids == null ? null : List.copyOf(ids);
  }

  /** Whether no condition is given. */
  public boolean unbounded() {
    return handles == null && ids == null && reasonContains == null && olderThan == null;
  }
}

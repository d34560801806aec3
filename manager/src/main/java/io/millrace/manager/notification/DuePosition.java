package io.millrace.manager.notification;

import java.time.Instant;

/**
 * A place in the order of due notices, the longest due first.
 *
 * @param dueAt of the last notice before it
 * @param id of that notice
 */
public record DuePosition(Instant dueAt, long id) implements Comparable<DuePosition> {
  /** Before all notices. */
  public static final DuePosition START = new DuePosition(Instant.EPOCH, 0);

  @Override
  public int compareTo(DuePosition other) {
    int byTime = dueAt.compareTo(other.dueAt);
    return byTime != 0 ? byTime : Long.compare(id, other.id);
  }
}

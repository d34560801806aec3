package io.millrace.manager.dispatch;

import io.millrace.api.job.AttemptId;
import io.millrace.manager.job.BookingDao.Booking;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a polling node is to do: pure.
 *
 * @param start recorded, and not in the node's hands yet
 * @param stop in the node's hands, and not wanted or not current any more
 * @param withdraw recorded, not in the node's hands, and not to be started there any more
 * @param found in the node's hands, although an earlier request of it did not list them: missing no
 *     longer
 * @param accepting whether the node takes new attempts
 */
record Orders(
    List<AttemptId> start,
    List<AttemptId> stop,
    List<AttemptId> withdraw,
    List<AttemptId> found,
    boolean accepting) {
  /** What may be told without writing anything down. */
  Orders onlyStops() {
    return new Orders(List.of(), stop, List.of(), List.of(), accepting);
  }

  /**
   * Compares what is recorded with what the node holds. A node polls one at a time, so what it
   * doesn't hold at its newest poll was never handed out, or the answer that did was lost. What it
   * said to be missing when it registered waits for its end, and is not for it to start again.
   *
   * @param accepting whether the node takes new attempts
   */
  static Orders of(List<Booking> recorded, Collection<AttemptId> held, boolean accepting) {
    List<AttemptId> start = new ArrayList<>();
    List<AttemptId> stop = new ArrayList<>();
    List<AttemptId> withdraw = new ArrayList<>();
    List<AttemptId> found = new ArrayList<>();
    Set<AttemptId> unknown = new HashSet<>(held);
    for (Booking booking : recorded) {
      boolean listed = unknown.remove(booking.attempt());
      if (booking.missing() && !listed) {
        continue;
      }
      if (booking.missing()) {
        found.add(booking.attempt());
      }
      boolean inHand = listed || booking.running();
      if (inHand) {
        if (booking.stopRequested()) {
          stop.add(booking.attempt());
        }
      } else if (booking.stopRequested() || !accepting) {
        withdraw.add(booking.attempt());
      } else {
        start.add(booking.attempt());
      }
    }
    stop.addAll(unknown);
    return new Orders(
        List.copyOf(start),
        List.copyOf(stop),
        List.copyOf(withdraw),
        List.copyOf(found),
        accepting);
  }
}

package io.millrace.manager.dispatch;

import io.millrace.api.job.AttemptId;
import io.millrace.manager.job.BookingDao.Booking;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a polling node is to do. Pure.
 *
 * @param start attempts placed on the node that it does not hold yet
 * @param stop attempts that the node holds and that are to be stopped or are no longer current
 * @param withdraw attempts placed on the node that it does not hold and must not start any more
 * @param found attempts that the node holds although an earlier request of it did not list them:
 *     they are no longer missing
 * @param accepting whether the node takes new attempts
 */
record PollInstructions(
    List<AttemptId> start,
    List<AttemptId> stop,
    List<AttemptId> withdraw,
    List<AttemptId> found,
    boolean accepting) {
  /** The instructions that may be given without recording anything. */
  PollInstructions onlyStops() {
    return new PollInstructions(List.of(), stop, List.of(), List.of(), accepting);
  }

  /**
   * Compares the placed attempts with those that the node holds. A node sends one poll at a time,
   * so an attempt that it does not hold at its newest poll was never handed out, or the answer was
   * lost. An attempt that was missing when the node registered waits to be declared lost, and must
   * not be started again.
   *
   * @param accepting whether the node takes new attempts
   */
  static PollInstructions of(
      List<Booking> recorded, Collection<AttemptId> held, boolean accepting) {
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
      boolean holds = listed || booking.running();
      if (holds) {
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
    return new PollInstructions(
        List.copyOf(start),
        List.copyOf(stop),
        List.copyOf(withdraw),
        List.copyOf(found),
        accepting);
  }
}

package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.queuenode.session.store.QueueSessions.Figure;
import io.millrace.queuenode.session.store.SessionStore.QueueFigures;
import io.millrace.queuenode.store.SegmentTotals;
import java.util.UUID;

/**
 * The figures of one queue as of a commit. Immutable.
 *
 * @param deliveredAt of the oldest unacknowledged delivery, nanoseconds
 * @param stalled the worker that has it; null for none
 */
record SessionSnapshot(
    SegmentTotals totals, SessionFigures figures, long deliveredAt, UUID stalled) {
  static SessionSnapshot of(QueueSessions queue) {
    SessionAssignment assignment = queue.assignment();
    long deliveredAt = 0;
    UUID stalled = null;
    long capacity = 0;
    for (SessionWorker worker : assignment.employed()) {
      capacity += assignment.cap(worker);
      Session oldest = worker.delivered().first();
      if (oldest != null && (stalled == null || oldest.deliveredAt() - deliveredAt < 0)) {
        deliveredAt = oldest.deliveredAt();
        stalled = worker.id();
      }
    }
    return new SessionSnapshot(totals(queue), figures(queue, capacity), deliveredAt, stalled);
  }

  private static SegmentTotals totals(QueueSessions queue) {
    Session waiting = queue.assignment().unassigned().first();
    return new SegmentTotals(
        queue.figure(Figure.WAITING),
        0,
        queue.figure(Figure.LEASED),
        0,
        queue.figure(Figure.BYTES),
        waiting == null ? 0 : waiting.openedAt(),
        queue.figure(Figure.INSERTED),
        queue.figure(Figure.INSERTED_BYTES),
        queue.figure(Figure.DELIVERED),
        queue.figure(Figure.DELIVERED_BYTES),
        queue.figure(Figure.ACKNOWLEDGED),
        queue.figure(Figure.FAILED),
        queue.figure(Figure.RETURNED),
        queue.figure(Figure.DROPPED),
        SegmentTotals.NONE.delays());
  }

  private static SessionFigures figures(QueueSessions queue, long capacity) {
    return new SessionFigures(
        queue.unassigned(),
        queue.figure(Figure.ASSIGNED),
        queue.figure(Figure.PARKED),
        queue.assignment().employed().size(),
        capacity,
        queue.figure(Figure.REMEMBERED),
        queue.figure(Figure.OPENED),
        queue.figure(Figure.COMPLETED),
        queue.figure(Figure.HANDOVERS),
        queue.figure(Figure.DUPLICATES),
        queue.figure(Figure.REFUSED),
        queue.figure(Figure.LATE),
        queue.figure(Figure.SKIPPED),
        queue.figure(Figure.STALE),
        queue.ownedSlots(),
        queue.waitingSlots(),
        queue.full().size(),
        0,
        null);
  }

  /** As of a moment. */
  QueueFigures at(long nanos) {
    double age = stalled == null ? 0 : Math.max(0, nanos - deliveredAt) / 1e9;
    SessionFigures f = figures;
    return new QueueFigures(
        totals,
        new SessionFigures(
            f.unassigned(),
            f.assigned(),
            f.parked(),
            f.workers(),
            f.capacity(),
            f.remembered(),
            f.opened(),
            f.completed(),
            f.handovers(),
            f.duplicates(),
            f.refused(),
            f.late(),
            f.skipped(),
            f.stale(),
            f.slots(),
            f.waitingSlots(),
            f.full(),
            age,
            stalled));
  }
}

package io.millrace.queuenode.session.store;

/** Gives sessions that wait to workers with room. One thread. */
final class Assigning {
  /** So many are assigned at a time, so that nobody waits for a long list. */
  private static final int STEP = 1_000;

  private final SessionChanges changes;

  Assigning(SessionChanges changes) {
    this.changes = changes;
  }

  /** Assigns what waits, the first one first, round robin, up to some (M-02, M-09). */
  void assign(QueueSessions queue, Wakes wakes) {
    assign(queue, STEP, wakes);
  }

  /** The same, up to so many. */
  void assign(QueueSessions queue, int most, Wakes wakes) {
    SessionAssignment assignment = queue.assignment();
    for (int left = most; assignment.unassigned().size() > 0; left--) {
      SessionWorker worker = assignment.turn();
      if (worker == null) {
        return;
      }
      if (left == 0) {
        wakes.more();
        return;
      }
      give(assignment.unassigned().first(), worker, true, wakes);
    }
  }

  /** A worker that has completed a session gets the first one that waits, whoever's turn it is. */
  void replace(QueueSessions queue, SessionWorker worker, Wakes wakes) {
    SessionAssignment assignment = queue.assignment();
    if (assignment.unassigned().size() > 0 && assignment.hasRoom(worker)) {
      give(assignment.unassigned().first(), worker, false, wakes);
    }
  }

  private void give(Session session, SessionWorker worker, boolean byTurn, Wakes wakes) {
    changes.assign(session, worker, byTurn);
    wakes.add(session);
  }
}

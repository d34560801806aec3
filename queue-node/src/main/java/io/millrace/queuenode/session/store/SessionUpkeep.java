package io.millrace.queuenode.session.store;

import io.millrace.api.session.SessionDefinition;
import io.millrace.queuenode.session.store.SessionAssignment.End;
import java.util.ArrayList;
import java.util.List;

/** What is due as time passes. One thread. */
final class SessionUpkeep {
  private static final int LOOKED_AT = 20_000;
  private static final int ENDED = 1_000;

  private final SessionChanges changes;
  private final SlotMoves moves;
  private final SlotImports imports;
  private final RememberedKeys keys;
  private final Assigning assigning;

  SessionUpkeep(
      SessionChanges changes,
      SlotMoves moves,
      SlotImports imports,
      RememberedKeys keys,
      Assigning assigning) {
    this.changes = changes;
    this.moves = moves;
    this.imports = imports;
    this.keys = keys;
    this.assigning = assigning;
  }

  void look(QueueSessions queue, Wakes wakes) {
    SessionAssignment assignment = queue.assignment();
    changes.book().touch(queue);
    long now = changes.nanos();
    for (SessionWorker worker : assignment.silent(now, queue.rules().stopped().toNanos())) {
      changes.retire(queue, worker, End.LOST, "its worker was silent for too long", now);
      wakes.retired(queue, worker);
    }
    for (SessionWorker worker : assignment.retiredLongAgo(now)) {
      changes.forget(queue, worker);
    }
    queue.lookAtFull();
    moves.takeBackRevoked(queue);
    moves.endHolds(queue, wakes);
    imports.mergeWhatIsComplete(queue, wakes);
    if (keys.endDue(queue)) {
      wakes.more();
    }
    assigning.assign(queue, wakes);
    endIdle(queue, wakes);
    if (keys.trim(queue, changes.now())) {
      wakes.more();
    }
  }

  // A part of the sessions at each call, slot by slot.
  private void endIdle(QueueSessions queue, Wakes wakes) {
    SessionDefinition rules = queue.assignment().rules();
    if (rules.idle() == null) {
      return;
    }
    long before = changes.now() - rules.idle().toMillis();
    List<Session> idle = new ArrayList<>();
    int lookedAt = 0;
    for (int slots = 0; slots < 1_000 && lookedAt < LOOKED_AT; slots++) {
      SlotSessions slot = queue.nextLookedAt();
      if (slot != null && !slot.blocked()) {
        lookedAt += slot.sessions().size();
        slot.sessions()
            .forEach(
                session -> {
                  if (session.unacknowledged() == 0
                      && session.delivered() == session.done()
                      && session.parked() == null
                      && session.ending() == null
                      && session.lastEventAt() <= before) {
                    idle.add(session);
                  }
                });
      }
    }
    for (Session session : idle.subList(0, Math.min(ENDED, idle.size()))) {
      keys.end(session, SessionEnding.IDLE, wakes);
    }
    if (idle.size() > ENDED) {
      wakes.more();
    }
  }
}

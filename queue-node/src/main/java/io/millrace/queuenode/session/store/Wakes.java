package io.millrace.queuenode.session.store;

import io.millrace.queuenode.session.store.SessionStore.Effects;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Gathers what follows from one call of the store. One thread. */
final class Wakes {
  private final Map<String, Set<UUID>> workers = new HashMap<>();
  private final Map<String, Set<UUID>> retired = new HashMap<>();
  private boolean more;

  /** Notes that a worker may have something to fetch. */
  void add(Session session) {
    SessionWorker worker = session.worker();
    if (worker != null && worker.ready().contains(session)) {
      add(session.queue(), worker);
    }
  }

  /** Notes that a worker is to call. */
  void add(QueueSessions queue, SessionWorker worker) {
    workers.computeIfAbsent(queue.name(), none -> new HashSet<>()).add(worker.id());
  }

  /** Notes that a worker is registered no more. */
  void retired(QueueSessions queue, SessionWorker worker) {
    retired.computeIfAbsent(queue.name(), none -> new HashSet<>()).add(worker.id());
  }

  /** Notes that there is more to do at once. */
  void more() {
    more = true;
  }

  Effects effects() {
    return workers.isEmpty() && retired.isEmpty() && !more
        ? Effects.NONE
        : new Effects(workers, retired, more);
  }
}

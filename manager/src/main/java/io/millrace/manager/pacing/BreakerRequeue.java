package io.millrace.manager.pacing;

import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.manager.queue.QueueEvents;
import io.millrace.platform.database.Database;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requeues events that became dead letters before their queue's breaker opened: several failures
 * are needed to conclude that the worker is at fault, not the events. Runs as a claimed duty;
 * blocks on the database and on queue nodes.
 */
public final class BreakerRequeue {
  private static final Logger LOGGER = LoggerFactory.getLogger(BreakerRequeue.class);
  private static final Principal ACTOR = Principal.of(Role.OPERATOR, "breaker");

  private final Database database;
  private final QueueEvents events;

  public BreakerRequeue(Database database, QueueEvents events) {
    this.database = database;
    this.events = events;
  }

  /** Handles every open breaker once; nodes that were not reached are retried the next time. */
  public void run() {
    database.read(BreakerDao::open).forEach(this::requeue);
  }

  private void requeue(String queue, Breaker breaker) {
    List<String> ids = breaker.pardons();
    if (ids.isEmpty()) {
      return;
    }
    try {
      DeadSelection dead = new DeadSelection(null, ids, null, null, false, null);
      QueueActionAnswer answer = events.requeue(queue, dead, ACTOR);
      if (answer.events() > 0) {
        LOGGER.info(
            "requeued {} events of queue {} that became dead letters before its breaker opened",
            answer.events(),
            queue);
      }
      if (answer.unreached().isEmpty()) {
        database.transaction(
            handle -> {
              BreakerDao.put(handle, queue, BreakerDao.lock(handle, queue).pardoned(ids));
              return ids;
            });
      }
    } catch (MillraceException e) {
      LOGGER.warn(
          "dead letters of queue {} that a failing worker caused could not be requeued yet",
          queue,
          e);
    }
  }
}

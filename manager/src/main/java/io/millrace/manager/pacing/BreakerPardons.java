package io.millrace.manager.pacing;

import io.millrace.api.MillraceException;
import io.millrace.api.event.DeadEvent.DeadSelection;
import io.millrace.api.event.QueueActionAnswer;
import io.millrace.manager.queue.QueueEvents;
import io.millrace.platform.database.Database;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back the events that died before their queue's breaker had opened: it takes some failures
 * to see that the worker is to blame and not they. Runs as a claimed duty; blocks on the database
 * and on queue nodes.
 */
public final class BreakerPardons {
  private static final Logger LOGGER = LoggerFactory.getLogger(BreakerPardons.class);
  private static final String WHO = "breaker";

  private final Database database;
  private final QueueEvents events;

  public BreakerPardons(Database database, QueueEvents events) {
    this.database = database;
    this.events = events;
  }

  /** Looks at every open breaker once; what could not be reached is tried again the next time. */
  public void grant() {
    database.read(BreakerDao::open).forEach(this::grant);
  }

  private void grant(String queue, Breaker breaker) {
    List<String> ids = breaker.pardons();
    if (ids.isEmpty()) {
      return;
    }
    try {
      DeadSelection dead = new DeadSelection(null, ids, null, null, false, null);
      QueueActionAnswer answer = events.requeue(queue, dead, WHO);
      if (answer.events() > 0) {
        LOGGER.info(
            "{} events of queue {} that died before its breaker opened live again",
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
      LOGGER.warn("events of queue {} that died of a bad worker are not given back yet", queue, e);
    }
  }
}

package io.millrace.manager.node;

import io.millrace.manager.job.NodeAttempts;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the attempts that still run on a draining node to stop when the deadline of the drain has
 * passed, by the database's clock, so that they run elsewhere. Runs as a claimed duty, on one
 * thread.
 */
public final class DrainDeadlines {
  private static final Logger LOGGER = LoggerFactory.getLogger(DrainDeadlines.class);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final NodeDao nodes = new NodeDao();
  private final RequestedStatusDao statuses = new RequestedStatusDao();
  private final NodeAttempts attempts;

  public DrainDeadlines(Database database, ClaimDao claims, NodeAttempts attempts) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.attempts = attempts;
  }

  /** One run under the claim. */
  public void run(Claim claim) {
    for (UUID id : database.read(handle -> statuses.drained(handle, time.now(handle)))) {
      int stopped =
          database.transaction(handle -> claims.lock(handle, claim) ? stop(handle, id) : 0);
      if (stopped > 0) {
        LOGGER.info(
            "the drain deadline of node {} has passed; {} attempts were asked to stop",
            id,
            stopped);
      }
    }
  }

  // The node's row is not locked, for its heartbeats: this process may freeze before it commits.
  private int stop(Handle handle, UUID id) {
    nodes.lockWork(handle, id);
    return nodes
        .find(handle, id)
        .filter(node -> statuses.drained(handle, time.now(handle)).contains(id))
        .map(NodeRow::name)
        .map(
            name -> attempts.requestStop(handle, id, "node " + name + " drained", time.now(handle)))
        .orElse(0);
  }
}

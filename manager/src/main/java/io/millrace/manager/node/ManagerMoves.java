package io.millrace.manager.node;

import io.millrace.api.MessageText;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the queue and task managers on a draining node to stop, which never end by themselves, so
 * that they run elsewhere. One that no other node would take stays: a queue or run without its
 * manager stands still. A few at a time: a node that would take them may be drained, or found to be
 * frozen, before it has. Runs as a claimed duty, on one thread.
 */
public final class ManagerMoves {
  private static final Logger LOGGER = LoggerFactory.getLogger(ManagerMoves.class);

  /** Of one node in one run. */
  static final int AT_ONCE = 10;

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final NodeDao nodes = new NodeDao();
  private final RequestedStatusDao statuses = new RequestedStatusDao();
  private final NodeAttempts attempts;
  private final Takers takers;

  public ManagerMoves(Database database, ClaimDao claims, NodeAttempts attempts, Takers takers) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.attempts = attempts;
    this.takers = takers;
  }

  /** One run under the claim. */
  public void run(Claim claim) {
    for (UUID id : database.read(statuses::draining)) {
      if (!database.read(handle -> movable(handle, id)).isEmpty()) {
        int stopped =
            database.transaction(
                handle -> claims.lock(handle, claim) ? stop(handle, id, movable(handle, id)) : 0);
        LOGGER.info(
            "asked {} on the draining node {} to stop",
            MessageText.counted(stopped, "manager"),
            id);
      }
    }
  }

  private Set<Long> movable(Handle handle, UUID id) {
    List<Long> managers = attempts.managers(handle, id);
    return managers.isEmpty()
        ? Set.of()
        : takers.taken(handle, managers).stream()
            .sorted()
            .limit(AT_ONCE)
            .collect(Collectors.toSet());
  }

  // The node's row is not locked, for its heartbeats: this process may freeze before it commits.
  private int stop(Handle handle, UUID id, Set<Long> movable) {
    nodes.lockWork(handle, id);
    return nodes
        .find(handle, id)
        .filter(node -> statuses.draining(handle).contains(id))
        .map(NodeRow::name)
        .map(
            name ->
                attempts.requestStopOfManagers(
                    handle, id, movable, "node " + name + " drained", time.now(handle)))
        .orElse(0);
  }

  /** Knows which jobs some node would take. */
  @FunctionalInterface
  public interface Takers {
    /** Those of the jobs that some node would take now if they waited. */
    Set<Long> taken(Handle handle, Collection<Long> jobs);
  }
}

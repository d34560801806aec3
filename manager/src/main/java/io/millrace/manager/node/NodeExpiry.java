package io.millrace.manager.node;

import io.millrace.manager.job.AttemptEnd;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.job.store.DatabaseTime;
import io.millrace.manager.node.store.NodeRow;
import io.millrace.manager.node.store.NodeStore;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.store.ClaimStore;
import io.millrace.platform.database.Database;
import io.millrace.platform.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retires nodes whose lease is over and gives their attempts up (M-03, M-07). Runs as a claimed
 * duty several times per lease, on one thread.
 */
public final class NodeExpiry {
  private static final Logger LOGGER = LoggerFactory.getLogger(NodeExpiry.class);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimStore claims;
  private final NodeStore nodes = new NodeStore();
  private final NodeAttempts attempts;
  private final Clock clock;
  private final OutageGuard guard;

  public NodeExpiry(
      Database database,
      ClaimStore claims,
      NodeAttempts attempts,
      Clock clock,
      Heartbeat heartbeat) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.attempts = attempts;
    this.clock = clock;
    this.guard = new OutageGuard(heartbeat.lease());
  }

  /** One run under the claim. */
  public void run(Claim claim) {
    if (!guard.mayExpire(database.now(), clock.nanoTime())) {
      return;
    }
    List<UUID> silent = database.read(handle -> nodes.silent(handle, time.now(handle)));
    for (UUID id : silent) {
      database
          .transaction(handle -> claims.lock(handle, claim) ? retire(handle, id) : Optional.empty())
          .ifPresent(words -> LOGGER.warn("{}", words));
    }
  }

  private Optional<String> retire(Handle handle, UUID id) {
    Optional<NodeRow> found = nodes.lock(handle, id);
    Instant now = time.now(handle);
    if (found.isEmpty() || NodeNames.held(found.get(), now) || !nodes.retire(handle, id)) {
      return Optional.empty();
    }
    String reason = "node " + found.get().name() + " lost";
    int lost = attempts.endAll(handle, id, AttemptEnd.lost(reason), now);
    return Optional.of(reason + ": its lease is over; " + lost + " attempts given up");
  }
}

package io.millrace.manager.node;

import io.millrace.api.quantity.Durations;
import io.millrace.manager.job.store.DatabaseTime;
import io.millrace.manager.node.store.QueueNodeRow;
import io.millrace.manager.node.store.QueueNodeStore;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.store.ClaimStore;
import io.millrace.platform.database.Database;
import io.millrace.platform.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks queue nodes lost whose lease and grace are over by the database's clock, and never by
 * membership (H-071). A node in maintenance gets its grace after the maintenance's end, and after
 * an outage of the database or of this central manager one full lease passes first. Runs under a
 * claim, several times per lease, on one thread.
 */
public final class QueueNodeLoss {
  private static final Logger LOGGER = LoggerFactory.getLogger(QueueNodeLoss.class);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimStore claims;
  private final Clock clock;
  private final Duration grace;
  private final OutageGuard guard;
  private final QueueNodeStore nodes = new QueueNodeStore();

  /**
   * A watch over the queue nodes.
   *
   * @param lease of a queue node
   * @param grace after the lease's end
   */
  public QueueNodeLoss(
      Database database, ClaimStore claims, Clock clock, Duration lease, Duration grace) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.clock = clock;
    this.grace = grace;
    this.guard = new OutageGuard(lease);
  }

  /** One look at every queue node; returns how many were found lost. */
  public int mark(Claim claim) {
    if (!guard.mayExpire(database.now(), clock.nanoTime())) {
      return 0;
    }
    Instant now = database.now();
    List<QueueNodeRow> due =
        database.read(nodes::list).stream().filter(node -> due(node, now)).toList();
    return (int) due.stream().filter(node -> mark(claim, node.node().name())).count();
  }

  private boolean mark(Claim claim, String name) {
    boolean marked =
        database.transaction(
            handle -> {
              if (!claims.lock(handle, claim)) {
                return false;
              }
              Optional<QueueNodeRow> node = nodes.lock(handle, name);
              Instant now = time.now(handle);
              return node.isPresent()
                  && due(node.get(), now)
                  && nodes.lose(handle, node.get().node().id(), now);
            });
    if (marked) {
      LOGGER.warn(
          "queue node {} is lost: its lease and {} more are over", name, Durations.format(grace));
    }
    return marked;
  }

  private boolean due(QueueNodeRow node, Instant now) {
    return node.lostAt() == null && graceEnd(node).isBefore(now);
  }

  private Instant graceEnd(QueueNodeRow node) {
    Instant lease = node.node().leaseUntil();
    Instant duty = node.dutyUntil();
    return (duty == null || duty.isBefore(lease) ? lease : duty).plus(grace);
  }
}

package io.millrace.manager.node;

import io.millrace.api.Durations;
import io.millrace.manager.node.QueueNodeDao.QueueNodeRow;
import io.millrace.manager.node.SilenceWatch.Silence;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseTime;
import io.millrace.platform.database.WriteProof;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks queue nodes as lost that are silent for their lease and grace period, never because of the
 * membership (H-071). For a node in maintenance both begin after the maintenance, and for all nodes
 * after an outage of the database or of this central manager. Runs under a claim, several times per
 * lease, on one thread.
 */
public final class QueueNodeLoss {
  private static final Logger LOGGER = LoggerFactory.getLogger(QueueNodeLoss.class);

  private final Database database;
  private final DatabaseTime time;
  private final ClaimDao claims;
  private final Clock clock;
  private final Duration grace;
  private final Duration lease;
  private final SilenceWatch watch;
  private final QueueNodeDao nodes = new QueueNodeDao();
  // Only touched by the duty's thread.
  private List<NodeRow> silent = List.of();

  /**
   * Creates the duty.
   *
   * @param lease lease of a queue node
   * @param grace grace period after the end of the lease
   */
  public QueueNodeLoss(
      Database database,
      ClaimDao claims,
      Clock clock,
      WriteProof proof,
      Duration lease,
      Duration grace) {
    this.database = database;
    this.time = new DatabaseTime(database.dialect());
    this.claims = claims;
    this.clock = clock;
    this.grace = grace;
    this.watch = new SilenceWatch(lease.dividedBy(2), proof::require);
    this.lease = lease;
  }

  /** Observes every queue node; also called without the claim, in preparation. Not thread-safe. */
  public void observe() {
    silent = List.of();
    silent =
        watch.observe(this::all, database::now, clock::nanoTime).stream()
            .filter(one -> one.length().compareTo(lease.plus(grace)) >= 0)
            .map(Silence::node)
            .toList();
  }

  private List<NodeRow> all() {
    return database.read(nodes::list).stream().map(QueueNodeRow::node).toList();
  }

  /** Marks the nodes that were too long silent at the last {@link #observe}; returns how many. */
  public int mark(Claim claim) {
    return (int) silent.stream().filter(node -> mark(claim, node)).count();
  }

  private boolean mark(Claim claim, NodeRow silent) {
    boolean marked =
        database.transaction(
            handle -> {
              if (!claims.lock(handle, claim)) {
                return false;
              }
              Instant now = time.now(handle);
              return nodes
                  .lock(handle, silent.name())
                  .filter(node -> node.node().id().equals(silent.id()))
                  .filter(node -> node.lostAt() == null)
                  .filter(node -> node.node().heardAt().equals(silent.heardAt()))
                  .filter(node -> NodeNames.leaseExpired(node.node(), now))
                  .filter(node -> !node.node().requestedStatus().excusesSilence(now))
                  .filter(node -> nodes.lose(handle, silent.id(), now))
                  .isPresent();
            });
    if (marked) {
      LOGGER.warn(
          "queue node {} is lost: its lease and the grace period of {} have expired",
          silent.name(),
          Durations.format(grace));
    }
    return marked;
  }
}

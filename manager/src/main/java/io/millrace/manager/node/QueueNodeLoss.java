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
 * Marks queue nodes lost that are silent for their lease and grace, and never by membership
 * (H-071). A node in maintenance gets both after the maintenance's end, and all nodes do after an
 * outage of the database or of this central manager. Runs under a claim, several times per lease,
 * on one thread.
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
   * A watch over the queue nodes.
   *
   * @param lease of a queue node
   * @param grace after the lease's end
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

  /**
   * One look at every queue node, by whoever may have to mark them later. Not from two threads at a
   * time.
   */
  public void observe() {
    silent = List.of();
    silent =
        watch.look(this::all, database::now, clock::nanoTime).stream()
            .filter(one -> one.length().compareTo(lease.plus(grace)) >= 0)
            .map(Silence::node)
            .toList();
  }

  private List<NodeRow> all() {
    return database.read(nodes::list).stream().map(QueueNodeRow::node).toList();
  }

  /** Marks those that were found silent for too long at the last look; returns how many. */
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
                  .filter(node -> NodeNames.leaseIsOver(node.node(), now))
                  .filter(node -> !node.node().order().excusesSilence(now))
                  .filter(node -> nodes.lose(handle, silent.id(), now))
                  .isPresent();
            });
    if (marked) {
      LOGGER.warn(
          "queue node {} is lost: its lease and {} more are over",
          silent.name(),
          Durations.format(grace));
    }
    return marked;
  }
}

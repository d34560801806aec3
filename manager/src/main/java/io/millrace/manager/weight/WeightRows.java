package io.millrace.manager.weight;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.platform.database.Database;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * The queues' weight rows, changed only by compare-and-set on their version, each change with its
 * history and its decision in the same transaction (H-054). Thread-safe; every method blocks on the
 * database.
 */
public final class WeightRows {
  private final Database database;

  public WeightRows(Database database) {
    this.database = database;
  }

  /** Every row, by queue. */
  public List<QueueWeights> all() {
    return database.read(WeightDao::all);
  }

  /** A queue's row; empty when it has none. */
  public Optional<QueueWeights> find(String queue) {
    return database.read(handle -> WeightDao.find(handle, queue));
  }

  /**
   * Records a decision in the transaction that carries it out.
   *
   * @return false when a decision of that id was carried out already: nothing is to be changed
   */
  static boolean record(Handle handle, BalancingDecisionView decision) {
    return BalancingDecisionDao.add(handle, decision);
  }

  /** Adds a queue's first row as decided; false when it has one already. */
  static boolean add(
      Handle handle, String queue, Map<String, Integer> points, BalancingDecisionView decision) {
    if (!WeightDao.add(handle, queue, points)) {
      return false;
    }
    keep(handle, new QueueWeights(queue, 1, points), decision);
    return true;
  }

  /**
   * Replaces a row as decided; empty when it is not the expected one any more.
   *
   * @throws MillraceException STALE_VERSION when that shows only now; the transaction must end
   */
  static Optional<QueueWeights> replace(
      Handle handle,
      QueueWeights expected,
      Map<String, Integer> points,
      BalancingDecisionView decision) {
    if (!WeightDao.replace(handle, expected, points)) {
      return Optional.empty();
    }
    QueueWeights next = new QueueWeights(expected.queue(), expected.version() + 1, points);
    keep(handle, next, decision);
    return Optional.of(next);
  }

  /**
   * Keeps the version. That each is kept once also guards the row: under several writers H2 has let
   * two transactions replace the same version, and then the second must not commit.
   */
  private static void keep(Handle handle, QueueWeights row, BalancingDecisionView decision) {
    boolean kept =
        WeightDao.addVersion(
            handle,
            new WeightChange(
                row.queue(),
                row.version(),
                decision.at(),
                row.points(),
                decision.kind(),
                decision.reason()));
    if (!kept) {
      throw new MillraceException(
          ErrorCode.STALE_VERSION,
          "somebody else has made version "
              + row.version()
              + " of the weights of "
              + row.queue()
              + " at the same moment; read the row again");
    }
  }
}

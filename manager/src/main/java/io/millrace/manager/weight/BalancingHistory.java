package io.millrace.manager.weight;

import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.WeightsView;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** What was decided about weight, as people see it. Thread-safe; blocks on the database. */
public final class BalancingHistory {
  private final Database database;
  private final QueueDefinitions definitions;

  public BalancingHistory(Database database, QueueDefinitions definitions) {
    this.database = database;
    this.definitions = definitions;
  }

  /** A queue's weights now and since so long; UNKNOWN_QUEUE when it is not defined. */
  public WeightsView weights(String queue, Duration back) {
    definitions.require(queue);
    Instant since = database.now().minus(back);
    return database.read(
        handle ->
            new WeightsView(
                WeightDao.find(handle, queue).orElse(null),
                WeightDao.versionsSince(handle, queue, since)));
  }

  /**
   * Decisions, newest first.
   *
   * @param queue only those about it; null for any
   * @param node only those that it made or that moved its points; null for any
   */
  public List<BalancingDecisionView> decisions(String queue, String node, int limit) {
    return database.read(handle -> BalancingDecisionDao.newest(handle, queue, node, limit));
  }
}

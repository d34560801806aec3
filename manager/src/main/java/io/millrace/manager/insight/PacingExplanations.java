package io.millrace.manager.insight;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.ShownText;
import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingDecisionView.PacingExplanation;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.manager.pacing.DecisionDao;
import io.millrace.manager.pacing.Gate;
import io.millrace.manager.pacing.PacingMessages;
import io.millrace.manager.pacing.PacingViews;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.platform.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Why queues have as many workers as they have, and the history of decisions. Thread-safe; every
 * method blocks on the database.
 */
public final class PacingExplanations {
  private static final int MAX = 5_000;

  private final Database database;
  private final QueueDefinitions definitions;
  private final QueueCatalog catalog;

  public PacingExplanations(Database database, QueueDefinitions definitions, QueueCatalog catalog) {
    this.database = database;
    this.definitions = definitions;
    this.catalog = catalog;
  }

  /**
   * Explains a queue.
   *
   * @param node only this segment; null for all
   * @param since how far back decisions are considered
   * @param limit most decisions that are shown
   * @throws MillraceException UNKNOWN_QUEUE; UNKNOWN_SEGMENT for a node that has none of the queue
   */
  public PacingExplanation explain(String name, String node, Duration since, int limit) {
    QueueDetails details = catalog.details(name);
    QueueView queue = details.queue();
    QueueDefinition definition = PacingViews.inForce(details.definition(), queue.override());
    Instant now = database.now();
    List<PacingDecisionView> newest =
        database.read(handle -> DecisionDao.newest(handle, name, node, null, MAX));
    if (node != null && newest.isEmpty() && !queue.weights().containsKey(node)) {
      throw new MillraceException(
          ErrorCode.UNKNOWN_SEGMENT,
          "queue %s has no segment on node '%s', and none of its decisions was made for one there; its segments are on %s"
              .formatted(
                  name,
                  ShownText.of(node),
                  String.join(", ", new TreeSet<>(queue.weights().keySet()))));
    }
    Instant earliest = now.minus(since);
    List<PacingDecisionView> recent =
        newest.stream().takeWhile(decision -> !decision.at().isBefore(earliest)).toList();
    List<String> lines =
        new PacingMessages(queue, definition, now).of(PacingMessages.latest(newest), since, recent);
    return new PacingExplanation(
        name,
        now,
        lines,
        queue.override(),
        queue.breaker(),
        gates(recent),
        recent.stream().limit(limit).toList());
  }

  private static Map<String, String> gates(List<PacingDecisionView> decisions) {
    return decisions.stream()
        .map(PacingDecisionView::gate)
        .distinct()
        .filter(Gate::limits)
        .collect(Collectors.toMap(Function.identity(), Gate::explain));
  }

  /**
   * A page of a queue's decisions within a time, oldest first.
   *
   * @param node null for all of them
   * @param after number of the last decision of the previous page; 0 for the first page
   */
  public List<PacingDecisionView> page(
      String name, String node, Instant from, Instant to, long after, int limit) {
    return database.read(handle -> DecisionDao.between(handle, name, node, from, to, after, limit));
  }

  /** The database's clock. */
  public Instant now() {
    return database.now();
  }

  /** Throws UNKNOWN_QUEUE if there is no queue with that name. */
  public void require(String name) {
    definitions.require(name);
  }
}

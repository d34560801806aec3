package io.millrace.manager.pacing;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.api.job.JobKind;
import io.millrace.api.pacing.PacingRound.PacedSegment;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.definition.DeletionDao;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.pacing.ManagerPlan.LiveManager;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.manager.weight.WeightRows;
import io.millrace.platform.database.Database;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates missing queue managers and ends surplus ones; runs as a claimed duty. The single-instance
 * name, not the claim, ensures that a segment never has two.
 */
public final class QueueManagerSupervision {
  private static final Logger LOGGER = LoggerFactory.getLogger(QueueManagerSupervision.class);

  private final Database database;
  private final QueueDefinitions definitions;
  private final WeightRows weights;
  private final QueueNodes nodes;
  private final JobLedger ledger;

  public QueueManagerSupervision(
      Database database,
      QueueDefinitions definitions,
      WeightRows weights,
      QueueNodes nodes,
      JobLedger ledger) {
    this.database = database;
    this.definitions = definitions;
    this.weights = weights;
    this.nodes = nodes;
    this.ledger = ledger;
  }

  /** Checks every segment once. Blocks. */
  public void supervise() {
    Set<String> ending =
        database.read(handle -> DeletionDao.open(handle, QueueKind.KEYWORD)).stream()
            .filter(row -> row.state() == DeletionState.ENDING)
            .map(DeletionRow::name)
            .collect(Collectors.toSet());
    Map<String, VersionedQueue> worked =
        definitions.all().stream()
            .filter(queue -> queue.definition().worker() != null)
            .filter(queue -> !ending.contains(queue.definition().name()))
            .collect(Collectors.toMap(queue -> queue.definition().name(), queue -> queue));
    ManagerPlan plan = ManagerPlan.of(needs(worked), live());
    plan.create().forEach(segment -> create(worked.get(segment.queue()), segment));
    plan.end().forEach(job -> ledger.cancel(job, "its segment no longer needs a queue manager"));
  }

  private Set<SegmentKey> needs(Map<String, VersionedQueue> worked) {
    Map<Boolean, Set<String>> external =
        worked.values().stream()
            .map(VersionedQueue::definition)
            .collect(
                Collectors.partitioningBy(
                    QueueDefinition::external,
                    Collectors.mapping(QueueDefinition::name, Collectors.toSet())));
    List<QueueWeights> rows = weights.all();
    List<QueueNodeView> known = nodes.all();
    List<SegmentFigures> reported =
        known.stream().map(QueueNodeView::segments).flatMap(List::stream).toList();
    Set<String> lost =
        known.stream()
            .filter(QueueNodeView::lost)
            .map(QueueNodeView::name)
            .collect(Collectors.toSet());
    Set<SegmentKey> needs = SegmentNeeds.of(external.get(false), rows, reported, lost);
    external.get(true).forEach(queue -> needs.add(new SegmentKey(queue, PacedSegment.EXTERNAL)));
    return needs;
  }

  /** Other manager programs have their own supervisors. */
  private List<LiveManager> live() {
    return ledger.liveManagers().stream()
        .flatMap(
            job ->
                QueueManagerSpecs.managed(job)
                    .map(segment -> new LiveManager(job.id(), segment))
                    .stream())
        .toList();
  }

  private void create(VersionedQueue queue, SegmentKey segment) {
    String owner = "queue:" + segment.queue();
    try {
      database.transaction(
          handle ->
              ledger.submit(
                  handle,
                  JobKind.MANAGER,
                  owner,
                  List.of(QueueManagerSpecs.manager(queue, segment.node()))));
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.CONFLICT) {
        throw e;
      }
      LOGGER.debug("segment {} was given its queue manager by another instance", segment);
    }
  }

  /**
   * Which segments need a queue manager: those with points in the weight row, and those that held
   * unfinished events when their node last reported, including silent nodes. Segments of a lost
   * node cannot be read, and get theirs when it returns. Pure.
   */
  static final class SegmentNeeds {
    private SegmentNeeds() {}

    /**
     * The segments in need.
     *
     * @param worked queues that define a worker; others need no manager
     * @param weights every queue's weight row
     * @param reported every segment as last reported
     * @param lost names of the lost nodes
     */
    public static Set<SegmentKey> of(
        Set<String> worked,
        Collection<QueueWeights> weights,
        Collection<SegmentFigures> reported,
        Set<String> lost) {
      Set<SegmentKey> needed = new HashSet<>();
      for (QueueWeights row : weights) {
        row.points().keySet().forEach(node -> needed.add(new SegmentKey(row.queue(), node)));
      }
      for (SegmentFigures segment : reported) {
        if (segment.unfinished() > 0) {
          needed.add(new SegmentKey(segment.queue(), segment.node()));
        }
      }
      needed.removeIf(
          segment -> !worked.contains(segment.queue()) || lost.contains(segment.node()));
      return needed;
    }
  }
}

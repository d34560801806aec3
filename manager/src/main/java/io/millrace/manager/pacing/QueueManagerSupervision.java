package io.millrace.manager.pacing;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobKind;
import io.millrace.api.pacing.PacingRound.PacedSegment;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.pacing.ManagerPlan.LiveManager;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.manager.weight.WeightRows;
import io.millrace.platform.database.Database;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates missing queue managers and ends surplus ones; runs as a claimed duty. That there is never
 * a second one for a segment is the single-instance name's doing, not the claim's.
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

  /** Looks at every segment once. Blocks. */
  public void supervise() {
    Map<String, VersionedQueue> worked =
        definitions.all().stream()
            .filter(queue -> queue.definition().worker() != null)
            .collect(Collectors.toMap(queue -> queue.definition().name(), queue -> queue));
    ManagerPlan plan = ManagerPlan.of(needs(worked), live());
    plan.create().forEach(segment -> create(worked.get(segment.queue()), segment));
    plan.end().forEach(job -> ledger.cancel(job, "its segment needs no queue manager any more"));
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
      LOGGER.debug("segment {} got its queue manager from another instance", segment);
    }
  }
}

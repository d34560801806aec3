package io.millrace.manager.pacing;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingRound.PacedSegment;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueControl;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.job.WorkerDao.WorkerTally;
import io.millrace.manager.pacing.PacingStateDao.PacingStateRow;
import io.millrace.manager.queue.ControlDao;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The views for the managers of many segments, read in a few statements. Immutable; created for
 * each round.
 */
public final class PacingViews {
  private final Map<String, VersionedQueue> queues;
  private final Map<SegmentKey, WorkerTally> workers;
  private final Map<String, Integer> outstanding = new HashMap<>();
  private final Map<SegmentKey, PacingStateRow> states;
  private final Map<String, QueueNodeView> nodes;
  private final Map<String, QueueControl> controls;
  private final Map<String, PacingOverride> overrides;
  private final Instant now;

  private PacingViews(
      Map<String, VersionedQueue> queues,
      Map<SegmentKey, WorkerTally> workers,
      Map<SegmentKey, PacingStateRow> states,
      Map<String, QueueNodeView> nodes,
      Map<String, QueueControl> controls,
      Map<String, PacingOverride> overrides,
      Instant now) {
    this.queues = queues;
    this.workers = workers;
    this.states = states;
    this.nodes = nodes;
    this.controls = controls;
    this.overrides = overrides;
    this.now = now;
    workers.forEach(
        (segment, tally) -> outstanding.merge(segment.queue(), tally.outstanding(), Integer::sum));
  }

  /** Reads what these segments need; blocks on the database. */
  static PacingViews read(
      Database database,
      Map<String, VersionedQueue> queues,
      QueueNodes nodes,
      JobLedger ledger,
      Collection<PacedSegment> asked) {
    Set<String> names = asked.stream().map(PacedSegment::queue).collect(Collectors.toSet());
    Map<SegmentKey, WorkerTally> workers = ledger.workers();
    Map<String, QueueNodeView> reported =
        nodes.all().stream()
            .collect(Collectors.toMap(QueueNodeView::name, Function.identity(), (a, b) -> a));
    return database.read(
        handle -> {
          Instant now = database.now();
          return new PacingViews(
              queues,
              workers,
              PacingStateDao.find(handle, names),
              reported,
              ControlDao.all(handle).stream()
                  .collect(Collectors.toMap(QueueControl::queue, Function.identity())),
              OverrideDao.inForce(handle, now),
              now);
        });
  }

  /** The view of one segment; empty when its queue is not defined. */
  Optional<PacingView> of(PacedSegment segment) {
    return Optional.ofNullable(queues.get(segment.queue())).map(queue -> view(queue, segment));
  }

  private PacingView view(VersionedQueue queue, PacedSegment segment) {
    SegmentKey key = new SegmentKey(segment.queue(), segment.node());
    WorkerTally own = workers.getOrDefault(key, WorkerTally.NONE);
    PacingStateRow recorded = states.get(key);
    QueueNodeView holder = nodes.get(segment.node());
    return new PacingView(
        inForce(queue.definition(), overrides.get(segment.queue())),
        queue.version(),
        holder == null ? null : holder.address(),
        holder == null ? NodeState.NORMAL : holder.load().state(),
        own.starting(),
        own.running(),
        outstanding.getOrDefault(segment.queue(), 0),
        own.started(),
        own.finished(),
        own.failed(),
        own.startLatencySeconds(),
        own.runSeconds(),
        recorded == null ? null : Json.read(recorded.state(), JsonNode.class),
        recorded == null ? null : recorded.decidedAt(),
        controls.get(segment.queue()),
        now);
  }

  /** The definition with an override applied. */
  public static QueueDefinition inForce(QueueDefinition definition, PacingOverride override) {
    return override == null
        ? definition
        : definition.withPacing(
            definition.pacing().overridden(override.maxWorkers(), override.waitTarget()));
  }
}

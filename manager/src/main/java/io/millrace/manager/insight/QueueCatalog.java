package io.millrace.manager.insight;

import io.millrace.api.insight.QueueDetails;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.queue.QueueDefinition.VersionedQueue;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.manager.definition.DeletionDao;
import io.millrace.manager.definition.DeletionDao.DeletionRow;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.pacing.Breaker;
import io.millrace.manager.pacing.BreakerDao;
import io.millrace.manager.pacing.DecisionDao;
import io.millrace.manager.pacing.OverrideDao;
import io.millrace.manager.pacing.PacingStateDao;
import io.millrace.manager.pacing.QueueManagerSpecs;
import io.millrace.manager.queue.ControlDao;
import io.millrace.manager.queue.QueueDefinitions;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.queue.QueueNodes;
import io.millrace.manager.sample.SampleDao;
import io.millrace.manager.sample.SampleDao.SampleRow;
import io.millrace.manager.weight.WeightDao;
import io.millrace.platform.database.Database;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/** Queues with their figures and decisions, for display. Thread-safe; blocks on the database. */
public final class QueueCatalog {
  private static final int MAX_JOBS = 50;

  private final Database database;
  private final QueueDefinitions definitions;
  private final QueueNodes nodes;
  private final JobLedger ledger;

  public QueueCatalog(
      Database database, QueueDefinitions definitions, QueueNodes nodes, JobLedger ledger) {
    this.database = database;
    this.definitions = definitions;
    this.nodes = nodes;
    this.ledger = ledger;
  }

  /** Every queue, by name. */
  public List<QueueView> views() {
    return views(nodes.all());
  }

  /** Every queue, by name, with the segments of these nodes. */
  public List<QueueView> views(List<QueueNodeView> reported) {
    QueueViews views = currentViews(reported);
    return definitions.all().stream().map(views::of).toList();
  }

  /** Everything about one queue; UNKNOWN_QUEUE if it does not exist. */
  public QueueDetails details(String name) {
    VersionedQueue queue = definitions.require(name);
    List<QueueNodeView> reported = nodes.all();
    List<SegmentFigures> segments =
        QueueNodes.segments(reported).stream()
            .filter(segment -> segment.queue().equals(name))
            .toList();
    return new QueueDetails(
        currentViews(reported).of(queue),
        queue.definition(),
        segments,
        ledger.liveManagers().stream().filter(job -> manages(job, name)).toList(),
        ledger.jobsOf(name, JobKind.WORKER, MAX_JOBS).stream()
            .filter(job -> !job.state().ended())
            .toList(),
        ledger.lastFailure(name).orElse(null));
  }

  private static Set<String> deleting(Handle handle) {
    return DeletionDao.open(handle, QueueKind.KEYWORD).stream()
        .map(DeletionRow::name)
        .collect(Collectors.toSet());
  }

  private Map<String, String> lastFailures(Set<String> queues) {
    Map<String, String> failures = new HashMap<>();
    queues.forEach(
        queue -> ledger.lastFailure(queue).ifPresent(run -> failures.put(queue, run.words())));
    return failures;
  }

  private static boolean manages(JobView job, String queue) {
    return QueueManagerSpecs.managed(job)
        .filter(segment -> segment.queue().equals(queue))
        .isPresent();
  }

  /**
   * A queue's decisions, newest first.
   *
   * @param node null for all of them
   * @param before number of the last decision of the previous page; null for the first page
   */
  public List<PacingDecisionView> decisions(String name, String node, Long before, int limit) {
    definitions.require(name);
    return database.read(handle -> DecisionDao.newest(handle, name, node, before, limit));
  }

  /**
   * A queue's decisions from a time on, newest first.
   *
   * @param node null for all of them
   * @param to the first instant after the period; null for now
   * @param before number of the last decision of the previous page; null for the first page
   */
  public List<PacingDecisionView> decisions(
      String name, String node, Instant from, Instant to, Long before, int limit) {
    definitions.require(name);
    Instant end = to == null ? database.now() : to;
    return database.read(
        handle -> DecisionDao.newestBetween(handle, name, node, from, end, before, limit));
  }

  /** Adds a sample of every queue to its history; runs as a claimed duty. */
  public void sample() {
    List<VersionedQueue> queues = definitions.all();
    QueueViews views = currentViews(nodes.all());
    Instant now = database.now();
    database.transaction(
        handle -> {
          queues.forEach(
              queue -> SampleDao.add(handle, views.sample(queue.definition().name(), now)));
          return null;
        });
  }

  /** What the views and the next samples are computed from. */
  public QueueViews currentViews(List<QueueNodeView> reported) {
    List<SampleRow> samples = database.read(SampleDao::latest);
    Instant now = database.now();
    Map<String, Breaker> broken = database.read(BreakerDao::open);
    return QueueViews.of(
        QueueNodes.segments(reported),
        database.read(WeightDao::all),
        ledger.workers(),
        samples,
        database.read(PacingStateDao::decisions),
        database.read(ControlDao::all),
        broken,
        lastFailures(broken.keySet()),
        database.read(handle -> OverrideDao.inForce(handle, now)),
        database.read(QueueCatalog::deleting));
  }
}

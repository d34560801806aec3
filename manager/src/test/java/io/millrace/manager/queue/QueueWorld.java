package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.pacing.PacingRound;
import io.millrace.api.pacing.PacingRound.PacedDecision;
import io.millrace.api.pacing.PacingRound.PacedSegment;
import io.millrace.api.pacing.PacingRound.PacingAnswer;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueDeletion.SegmentClosure;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.queue.SegmentFigures;
import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.WeightsView.WeightChange;
import io.millrace.manager.app.CentralTables;
import io.millrace.manager.definition.DefinitionDeletions;
import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.definition.Definitions;
import io.millrace.manager.deletion.QueueRemoval;
import io.millrace.manager.deletion.QueueRows;
import io.millrace.manager.insight.PacingExplanations;
import io.millrace.manager.insight.QueueCatalog;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.node.NodeRegistry;
import io.millrace.manager.node.QueueNodeRegistry;
import io.millrace.manager.pacing.Breaker;
import io.millrace.manager.pacing.BreakerDao;
import io.millrace.manager.pacing.BreakerWatch;
import io.millrace.manager.pacing.PacingOverrides;
import io.millrace.manager.pacing.PacingService;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.weight.WeightDao;
import io.millrace.manager.weight.WeightRows;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** The queue side's classes over a real database in a folder, without threads. */
public final class QueueWorld implements AutoCloseable {
  /** Of queue nodes. */
  public static final Duration LEASE = Duration.ofSeconds(10);

  public final Database database;
  public final JobLedger ledger;
  public final NodeRegistry registry;
  public final Definitions definitions;
  public final QueueDefinitions queues;
  public final QueueNodeRegistry queueNodes;
  public final QueueNodes nodes;
  public final QueueControls controls;
  public final WeightRows weights;
  public final QueueCatalog catalog;
  public final PacingService desk;
  public final PacingOverrides overrides;
  public final DefinitionDeletions deletions;
  public final QueueRemoval removal;

  /** Segments of which a session worker was asked to end. */
  public final List<String> asked = new ArrayList<>();

  /** Definitions of jobs whose denials were forgotten. */
  public final List<String> forgotten = new ArrayList<>();

  public final PacingExplanations explanations;
  public final AtomicInteger changes = new AtomicInteger();

  public QueueWorld(Path folder) {
    database = CentralTables.in(folder);
    ledger =
        new JobLedger(database, new WakeUps(), new ShapeDao(database.dialect(), new SystemClock()));
    registry = new NodeRegistry(database, ledger.nodeAttempts());
    deletions = new DefinitionDeletions(database, changes::incrementAndGet);
    definitions =
        new Definitions(
            database,
            new DefinitionKinds(List.of(new QueueKind())),
            deletions,
            changes::incrementAndGet,
            (handle, definition, author) -> Optional.empty());
    queues = new QueueDefinitions(definitions);
    queueNodes = new QueueNodeRegistry(database, registry, LEASE);
    nodes = new QueueNodes(queueNodes);
    controls = new QueueControls(database, queues);
    weights = new WeightRows(database);
    overrides = new PacingOverrides(database, queues);
    QueueRows rows = new QueueRows(ledger, (handle, names) -> forgotten.addAll(names));
    removal = new QueueRemoval(database, queueNodes, ledger, rows);
    deletions.add(removal);
    ledger.watch(new BreakerWatch(queues));
    catalog = new QueueCatalog(database, queues, nodes, ledger);
    desk = 
        new PacingService(
            database, queues, nodes, ledger, (queue, node) -> asked.add(queue + " at " + node));
    explanations = new PacingExplanations(database, queues, catalog);
  }

  public ApplyAnswer apply(String yaml) {
    return apply(yaml, false);
  }

  public ApplyAnswer apply(String yaml, boolean dryRun) {
    List<SourceFile> files = List.of(new SourceFile("test.yaml", yaml));
    return definitions.apply(new ApplyRequest(files, dryRun), "ann");
  }

  /** Records a decision of a queue manager whose secret was checked; throws why it was refused. */
  public void record(String queue, String node, PacingRecord decision) {
    PacedDecision one = new PacedDecision(queue, node, decision, "checked");
    for (PacingAnswer refused : desk.round(new PacingRound(List.of(one), List.of())).refused()) {
      throw refused.problem().toException();
    }
  }

  /** What a queue manager sees. */
  public PacingView view(String queue, String node) {
    PacedSegment segment = new PacedSegment(queue, node);
    PacingAnswer answer = desk.round(new PacingRound(List.of(), List.of(segment))).views().get(0);
    if (answer.problem() != null) {
      throw answer.problem().toException();
    }
    return answer.view();
  }

  /** A queue node that says it holds these segments. */
  public void report(String node, SegmentFigures... segments) {
    report(node, 1, 0.1, segments);
  }

  /** A queue node without segments that says it is in this state. */
  public void report(String node, NodeState state) {
    report(node, state, 1, 0.1);
  }

  /** A queue node of this capacity that says it holds these segments. */
  public void report(String node, double capacity, double load, SegmentFigures... segments) {
    report(node, NodeState.NORMAL, capacity, load, segments);
  }

  /** An empty queue node whose part of the cluster view is reached there. */
  public void reportMember(String node, String member) {
    report(node, NodeState.NORMAL, 1, 0.1, member);
  }

  private void report(
      String node, NodeState state, double capacity, double load, SegmentFigures... segments) {
    report(node, state, capacity, load, null, segments);
  }

  /** A queue node that is this far with deletions and holds these segments. */
  public void reportClosed(String node, List<SegmentClosure> closures, SegmentFigures... segments) {
    report(node, NodeState.NORMAL, 1, 0.1, null, closures, segments);
  }

  private void report(
      String node,
      NodeState state,
      double capacity,
      double load,
      String member,
      SegmentFigures... segments) {
    report(node, state, capacity, load, member, List.of(), segments);
  }

  private void report(
      String node,
      NodeState state,
      double capacity,
      double load,
      String member,
      List<SegmentClosure> closures,
      SegmentFigures... segments) {
    nodes.accept(
        new QueueNodeReport(
            UUID.nameUUIDFromBytes(node.getBytes(StandardCharsets.UTF_8)),
            node,
            URI.create("http://" + node + ":1"),
            new NodeLoad(state, load, load, load, null, "quiet"),
            capacity,
            capacity,
            List.of(segments),
            null,
            member,
            closures,
            null),
        JobBench.number());
  }

  /** Nodes that hold nothing. */
  public void reports(String... names) {
    for (String name : names) {
      report(name);
    }
  }

  /** Makes it so long ago that the node reported. */
  public void silence(String node, Duration ago) {
    Instant heard = database.now().minus(ago);
    database.transaction(
        handle ->
            handle
                .createUpdate(
                    "update node set heard_at = :heard, lease_until = :lease where name = :name")
                .bind("heard", heard)
                .bind("lease", heard.plus(LEASE))
                .bind("name", node)
                .execute());
  }

  /** Forgets where a node is, as a restoration does, until it reports. */
  public void forgetAddress(String node) {
    database.transaction(
        handle ->
            handle
                .createUpdate("update node set address = '' where name = :name")
                .bind("name", node)
                .execute());
  }

  /** Gives a queue its first row, as if it had been placed. */
  public QueueWeights weigh(String queue, Map<String, Integer> points) {
    database.transaction(
        handle -> {
          Instant now = database.now();
          WeightDao.add(handle, queue, points);
          WeightDao.addVersion(
              handle,
              new WeightChange(queue, 1, now, points, BalancingKind.FIRST, "as the test wants"));
          return null;
        });
    return weights.find(queue).orElseThrow();
  }

  /** Replaces a queue's row. */
  public void reweigh(String queue, Map<String, Integer> points) {
    QueueWeights row = weights.find(queue).orElseThrow();
    assertThat(
            database.<Boolean, RuntimeException>transaction(
                handle -> WeightDao.replace(handle, row, points)))
        .isTrue();
  }

  public static SegmentFigures segment(String queue, String node, long waiting, long inserted) {
    return new SegmentFigures(
        queue, node, 500, 1, waiting, 0, 0, 0, 1, 0, inserted, 0, 0, 0, 0, List.of(), null, null);
  }

  /** A queue manager of the segment as an execution node would run it. */
  public AttemptId runManager(String queue, String node) {
    long job =
        database.transaction(
            handle ->
                ledger
                    .submit(
                        handle,
                        JobKind.MANAGER,
                        "test",
                        List.of(
                            io.millrace.manager.pacing.QueueManagerSpecs.manager(
                                queues.require(queue), node)))
                    .get(0));
    return startAttempt(job, 1);
  }

  /** What the dispatcher does when it starts an attempt, as far as fencing sees it. */
  public AttemptId startAttempt(long job, int number) {
    database.transaction(
        handle ->
            handle
                .createUpdate(
                    "update job set state = 'RUNNING', attempt_number = :number where id = :id")
                .bind("number", number)
                .bind("id", job)
                .execute());
    return new AttemptId(job, number);
  }

  /** Makes it so much later for the times of that column. */
  public void pass(String table, String column, Duration time) {
    database.transaction(
        handle -> {
          List<Instant> times =
              handle
                  .createQuery("select distinct " + column + " from " + table)
                  .mapTo(Instant.class)
                  .list();
          for (Instant one : times) {
            handle
                .createUpdate(
                    "update " + table + " set " + column + " = :to where " + column + " = :from")
                .bind("to", one.minus(time))
                .bind("from", one)
                .execute();
          }
          return null;
        });
  }

  /** Makes it so much later for the queue's breaker. */
  public void passBreaker(String queue, Duration time) {
    database.transaction(
        handle -> {
          Breaker breaker = BreakerDao.lock(handle, queue);
          Instant probed = breaker.probedAt() == null ? null : breaker.probedAt().minus(time);
          BreakerDao.put(
              handle,
              queue,
              new Breaker(
                  breaker.runs(),
                  breaker.openedAt(),
                  breaker.reason(),
                  probed,
                  breaker.probe(),
                  breaker.probes(),
                  breaker.succeeded(),
                  breaker.pardons()));
          return null;
        });
  }

  /** Workers of the queue that wait for a slot. */
  public List<JobView> waiting(String queue) {
    return workers(queue).stream().filter(job -> job.state() == JobState.WAITING).toList();
  }

  /** Runs of the segment's workers that ended, each with several events. */
  public void runs(String queue, String node, boolean failed, int count) {
    submitWorkers(queue, node, count).forEach(job -> end(job, failed));
  }

  /** Workers of the segment whose node refused them because of their user. */
  public void refusals(String queue, String node, int count) {
    AttemptResult refused =
        AttemptResult.of(Outcome.START_FAILED, "user 'bob': there is no such user on this node")
            .withNeverBegan(true);
    submitWorkers(queue, node, count).forEach(job -> end(job, refused));
  }

  private List<Long> submitWorkers(String queue, String node, int count) {
    return database.transaction(
        handle ->
            ledger.submit(
                handle,
                JobKind.WORKER,
                "test",
                Collections.nCopies(count, WorkerSpecs.worker(queues.require(queue), node))));
  }

  /** What a node's report does when the worker's run ends. */
  public void end(JobView worker, boolean failed) {
    end(worker.id(), failed);
  }

  private void end(long job, boolean failed) {
    end(
        job,
        new AttemptResult(
            failed ? Outcome.FAILED : Outcome.SUCCEEDED,
            failed ? 1 : 0,
            null,
            null,
            null,
            5,
            10,
            null,
            null,
            null));
  }

  private void end(long job, AttemptResult result) {
    UUID node = UUID.nameUUIDFromBytes("e1".getBytes(StandardCharsets.UTF_8));
    startAttempt(job, 1);
    database.transaction(
        handle -> {
          handle
              .createUpdate(
                  "update job set node_id = :node, node_name = 'e1', started_at = submitted_at"
                      + " where id = :id")
              .bind("node", node.toString())
              .bind("id", job)
              .execute();
          return handle
              .createUpdate("delete from job_ready where job_id = :id")
              .bind("id", job)
              .execute();
        });
    List<AttemptId> refused =
        ledger
            .reports()
            .take(node, List.of(AttemptReport.ended(new AttemptId(job, 1), result, 20, 10)));
    assertThat(refused).isEmpty();
  }

  public List<JobView> workers(String queue) {
    return ledger.jobsOf(queue, JobKind.WORKER, 500);
  }

  @Override
  public void close() {
    database.close();
  }
}

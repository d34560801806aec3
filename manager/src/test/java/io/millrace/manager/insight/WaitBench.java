package io.millrace.manager.insight;

import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.manager.dispatch.DenylistService;
import io.millrace.manager.dispatch.PoolDispatch;
import io.millrace.manager.dispatch.PoolReader;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.job.PlacementRecorder;
import io.millrace.manager.job.RestorationDao;
import io.millrace.manager.job.RestorationDao.Restoration;
import io.millrace.manager.job.UsageProfiles;
import io.millrace.manager.node.ExecutionNodeCommands;
import io.millrace.manager.node.ExecutionNodeViews;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.placement.PlacementSnapshot.PlacementSettings;
import io.millrace.manager.placement.Requirements;
import io.millrace.manager.placement.Requirements.ExpressionTest;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.clock.ManualClock;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** One central manager's jobs with profiles, a denylist and the history of waits, step by step. */
public final class WaitBench implements AutoCloseable {
  public final JobBench jobs = new JobBench(Heartbeat.defaults());
  public final ManualClock clock = new ManualClock(Instant.parse("2026-03-01T12:00:00Z"));
  public final UsageProfiles profiles = new UsageProfiles(clock);
  public final DenylistService denylist = new DenylistService(jobs.database);
  public final JobExplanations explanations;
  private final PoolDispatch dispatch;

  public WaitBench() {
    this(PlacementSettings.defaults());
  }

  public WaitBench(PlacementSettings settings) {
    jobs.ledger.watch(profiles);
    jobs.ledger.watch(denylist);
    jobs.ledger.estimateBy(profiles);
    PoolReader pools =
        new PoolReader(
            jobs.shapes, ExpressionTest.compiledBy(new Requirements(100)), denylist, settings);
    this.dispatch =
        new PoolDispatch(
            jobs.database,
            jobs.claims,
            pools,
            jobs.shapes,
            jobs.arrays.expander(),
            new PlacementRecorder(jobs.wakeUps),
            new ShapeWaits(clock, Duration.ZERO));
    this.explanations =
        new JobExplanations(jobs.database, pools, jobs.shapes, jobs.claims, jobs.stepElements);
  }

  /** A settled way to place: room is kept at once, and one job is placed at a time. */
  public static PlacementSettings impatient() {
    return new PlacementSettings(Duration.ofMinutes(10), 10, Duration.ZERO, 1);
  }

  public void employ(UUID id, String name, NodeCapacity capacity, Map<String, String> attributes) {
    jobs.register(
        new NodeRegistration(
            id,
            name,
            URI.create("http://127.0.0.1:1"),
            capacity,
            List.of("default"),
            attributes,
            null,
            List.of()));
  }

  /** Lets the database be one that was restored, whose exclusive jobs wait until then. */
  void restoredUntil(Instant until) {
    Instant now = jobs.database.now();
    jobs.database.transaction(
        handle -> {
          new RestorationDao().insert(handle, new Restoration("b", now, now, 0, 0, until));
          return null;
        });
  }

  public void employ(UUID id, String name, int slots) {
    employ(id, name, NodeCapacity.ofSlots(slots), Map.of());
  }

  public int place() {
    Claim claim =
        jobs.claims.acquireOrRenew("dispatch:default", "test", Duration.ofMinutes(1)).orElseThrow();
    return dispatch.run(claim, "default", true).placed();
  }

  /** Gives no new jobs to the node. */
  public void drain(String node) {
    commands().drain(node, new NodeCommand(null, null), "test");
  }

  /** Ends a drain. */
  public void undrain(String node) {
    commands().undrain(node, "test");
  }

  private ExecutionNodeCommands commands() {
    return new ExecutionNodeCommands(
        jobs.database, new ExecutionNodeViews(jobs.database, denylist), jobs.wakeUps);
  }

  public void releaseDispatch() {
    jobs.claims.release("dispatch:default", "test");
  }

  public long submit(JobSpec spec) {
    return jobs.submit(spec);
  }

  public long submit(String name) {
    return submit(JobDraft.command("/bin/true").name(name).spec());
  }

  public JobExplanation explain(long job) {
    return explanations.of(job);
  }

  /** Ends the job's attempt after a run of that length. */
  public void end(long job, int attempt, Outcome outcome, Duration run, Usage usage) {
    AttemptId id = new AttemptId(job, attempt);
    Integer code = outcome == Outcome.FAILED ? Integer.valueOf(3) : null;
    long millis = run.toMillis();
    AttemptReport report =
        AttemptReport.ended(
            id,
            new AttemptResult(outcome, code, null, null, null, 0, millis, usage, null, null),
            millis,
            0);
    List<AttemptId> refused = jobs.reports.take(jobs.nodeOf(id), List.of(report));
    if (!refused.isEmpty()) {
      throw new IllegalStateException("refused: " + refused);
    }
  }

  /** The problems of the nodes, as the overview lists them. */
  public List<Alert> problems() {
    return NodeProblems.of(
        new ExecutionNodeViews(jobs.database, denylist).list(), jobs.database.now());
  }

  /** Reports that the node refused the job's attempt because of its user. */
  public void refuse(long job, int attempt) {
    AttemptId id = new AttemptId(job, attempt);
    AttemptResult refused =
        AttemptResult.of(Outcome.START_FAILED, "user 'bob': there is no such user on this node")
            .withNeverBegan(true);
    if (!jobs.reports
        .take(jobs.nodeOf(id), List.of(AttemptReport.ended(id, refused, 0, 0)))
        .isEmpty()) {
      throw new IllegalStateException("refused: " + id);
    }
  }

  public void end(long job, Outcome outcome) {
    end(job, 1, outcome, Duration.ofMillis(100), null);
  }

  /** Lets the job have waited so long already. */
  public void age(long job, Duration waited) {
    Instant at = jobs.database.now().minus(waited);
    jobs.database.transaction(
        handle ->
            handle
                .createUpdate("update job_ready set ready_at = :at where job_id = :id")
                .bind("at", at)
                .bind("id", job)
                .execute());
  }

  @Override
  public void close() {
    jobs.close();
  }
}

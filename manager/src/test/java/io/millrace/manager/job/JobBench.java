package io.millrace.manager.job;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.BatchInput;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.node.NodeRegistration.RegistrationAnswer;
import io.millrace.api.node.RequestNumber;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.manager.app.CentralTables;
import io.millrace.manager.dispatch.DenylistService;
import io.millrace.manager.dispatch.PoolDispatch;
import io.millrace.manager.dispatch.PoolReader;
import io.millrace.manager.insight.ShapeWaits;
import io.millrace.manager.job.BookingDao.Booking;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeRegistry;
import io.millrace.manager.placement.PlacementSnapshot.PlacementSettings;
import io.millrace.manager.placement.Requirements;
import io.millrace.manager.placement.Requirements.ExpressionTest;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.manager.workflow.StepElements;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** The job side of one central manager on a database of its own, driven step by step by tests. */
public final class JobBench implements AutoCloseable {
  public static final UUID E1 = new UUID(1, 1);
  public static final UUID E2 = new UUID(1, 2);

  private static final AtomicLong REQUESTS = new AtomicLong();

  public final Database database;
  public final WakeUps wakeUps = new WakeUps();
  public final StepElements stepElements = new StepElements();
  public final ShapeDao shapes;
  public final JobLedger ledger;
  public final JobArrays arrays;
  public final JobQueries queries;
  public final NodeAttempts attempts;
  public final NodeRegistry registry;
  public final ExecutionNodes nodes;
  public final AttemptReports reports;
  public final ClaimDao claims;
  public final PoolDispatch dispatch;

  public JobBench(Heartbeat heartbeat) {
    this(CentralTables.inMemory(), heartbeat);
  }

  public JobBench(Database database, Heartbeat heartbeat) {
    this.database = database;
    this.shapes = new ShapeDao(database.dialect(), new SystemClock());
    this.ledger = new JobLedger(database, wakeUps, shapes);
    this.queries = new JobQueries(database, wakeUps, stepElements);
    this.arrays = new JobArrays(database, ledger, wakeUps, stepElements);
    this.attempts = ledger.nodeAttempts();
    this.registry = new NodeRegistry(database, attempts);
    this.nodes = new ExecutionNodes(database, registry, attempts, heartbeat);
    this.reports = ledger.reports();
    this.claims = new ClaimDao(database);
    this.dispatch =
        new PoolDispatch(
            database,
            claims,
            new PoolReader(
                shapes,
                ExpressionTest.compiledBy(new Requirements(100)),
                new DenylistService(database),
                PlacementSettings.defaults()),
            shapes,
            arrays.expander(),
            new PlacementRecorder(wakeUps),
            new ShapeWaits(new SystemClock(), Duration.ZERO));
  }

  public static JobBench withTwoNodes(int slots) {
    JobBench bench = new JobBench(Heartbeat.defaults());
    bench.employ(E1, "e1", slots);
    bench.employ(E2, "e2", slots);
    return bench;
  }

  public void employ(UUID id, String name, int slots, AttemptId... live) {
    register(registration(id, name, slots, live));
  }

  /** Registers by a request newer than all before. */
  public RegistrationAnswer register(NodeRegistration registration) {
    return nodes.register(registration, number());
  }

  /** Says goodbye by a request newer than all before. */
  public void deregister(UUID node) {
    nodes.deregister(node, number());
  }

  /** The number of a node's next request, newer than all before. */
  public static RequestNumber number() {
    return new RequestNumber(1, REQUESTS.incrementAndGet());
  }

  /** Offers the node what is recorded for it, as the answer to a poll does. */
  public void handOut(UUID node) {
    database.transaction(
        handle -> {
          attempts.markOffered(handle, node, recorded(node));
          return null;
        });
  }

  public static NodeRegistration registration(UUID id, String name, int slots, AttemptId... live) {
    return new NodeRegistration(
        id,
        name,
        URI.create("http://127.0.0.1:1"),
        NodeCapacity.ofSlots(slots),
        List.of("default"),
        Map.of(),
        null,
        List.of(live));
  }

  public int place() {
    Claim claim =
        claims.acquireOrRenew("dispatch:default", "test", Duration.ofMinutes(1)).orElseThrow();
    return dispatch.run(claim, "default", true).placed();
  }

  public List<AttemptId> recorded(UUID node) {
    return database.read(handle -> attempts.of(handle, node)).stream()
        .map(Booking::attempt)
        .toList();
  }

  /** The node that has the attempt. */
  public UUID nodeOf(AttemptId attempt) {
    return queries.nodeOf(attempt).orElseThrow();
  }

  public List<AttemptId> start(AttemptId attempt) {
    return reports.take(nodeOf(attempt), List.of(started(attempt)));
  }

  public List<AttemptId> end(AttemptId attempt, Outcome outcome, Integer exitCode) {
    return reports.take(nodeOf(attempt), List.of(ended(attempt, outcome, exitCode, 1000)));
  }

  public static AttemptReport started(AttemptId attempt) {
    return AttemptReport.started(attempt, 0);
  }

  public static AttemptReport ended(
      AttemptId attempt, Outcome outcome, Integer exitCode, long runMillis) {
    AttemptResult result =
        new AttemptResult(
            outcome, exitCode, null, null, "last words", 5, runMillis, null, null, null);
    return AttemptReport.ended(attempt, result, runMillis, 0);
  }

  public long submit(JobSpec spec) {
    return ledger.submit("ann", spec).id();
  }

  public List<Long> submit(JobKind kind, JobSpec... specs) {
    return submit("queue alert", kind, specs);
  }

  public List<Long> submit(String owner, JobKind kind, JobSpec... specs) {
    return database.transaction(handle -> ledger.submit(handle, kind, owner, List.of(specs)));
  }

  public JobState state(long id) {
    return queries.view(id).state();
  }

  public static JobSpec command(int slots, int priority, RetryPolicy retry) {
    return JobDraft.command("/bin/true").slots(slots).priority(priority).retry(retry).spec();
  }

  public static JobSpec command() {
    return command(1, 0, null);
  }

  public static JobSpec worker(String queue, String node) {
    return JobDraft.command("/bin/cat")
        .name("worker")
        .input(new BatchInput(queue, node, WorkerInput.STDIN, 10, Duration.ofSeconds(30), 1))
        .spec();
  }

  public static JobSpec manager(SegmentKey segment) {
    return JobDraft.program("queue-manager", segment.queue(), segment.node())
        .name("manager")
        .slots(1)
        .priority(100)
        .single(segment.managerName())
        .restart(true)
        .spec();
  }

  /** The numbers of jobs, counted when they are first requested. */
  public JobTotals totals() {
    return new JobTotals(database, new SystemClock());
  }

  @Override
  public void close() {
    database.close();
  }
}

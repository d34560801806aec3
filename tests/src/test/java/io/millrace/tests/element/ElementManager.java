package io.millrace.tests.element;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.NodeRegistration;
import io.millrace.api.node.NodeRegistration.NodeCapacity;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.dispatch.DenylistService;
import io.millrace.manager.dispatch.PoolDispatch;
import io.millrace.manager.dispatch.PoolReader;
import io.millrace.manager.insight.ShapeWaits;
import io.millrace.manager.job.AttemptReports;
import io.millrace.manager.job.BookingDao.Booking;
import io.millrace.manager.job.JobArrays;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.JobTotals;
import io.millrace.manager.job.NodeAttempts;
import io.millrace.manager.job.PlacementRecorder;
import io.millrace.manager.job.ReleasedElements;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.node.ExecutionNodes;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeRegistry;
import io.millrace.manager.placement.PlacementSnapshot.PlacementSettings;
import io.millrace.manager.placement.Requirements;
import io.millrace.manager.placement.Requirements.ExpressionTest;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.claim.ClaimDao;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The job side of a central manager, driven step by step. */
final class ElementManager implements AutoCloseable {
  final Database database;
  final JobQueries queries;
  final JobArrays arrays;
  final AttemptReports reports;
  private final JobLedger ledger;
  private final NodeAttempts attempts;
  private final ExecutionNodes nodes;
  private final ClaimDao claims;
  private final PoolDispatch dispatch;

  ElementManager(Database database) {
    this.database = database;
    WakeUps wakeUps = new WakeUps();
    ShapeDao shapes = new ShapeDao(database.dialect(), new SystemClock());
    // Nobody polls for the nodes, which must not count as lost however slow the machine is.
    Heartbeat heartbeat = new Heartbeat(Duration.ofMinutes(1), Duration.ofHours(1));
    this.ledger = new JobLedger(database, wakeUps, shapes);
    this.queries = new JobQueries(database, wakeUps);
    this.arrays = new JobArrays(database, ledger, wakeUps, ReleasedElements.NONE);
    this.attempts = ledger.nodeAttempts();
    this.nodes =
        new ExecutionNodes(database, new NodeRegistry(database, attempts), attempts, heartbeat);
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
            ShapeWaits.with(new SystemClock()));
  }

  void employ(UUID id, String name, int slots) {
    nodes.register(
        new NodeRegistration(
            id,
            name,
            URI.create("http://127.0.0.1:1"),
            NodeCapacity.ofSlots(slots),
            List.of("default"),
            Map.of(),
            null,
            List.of()),
        new RequestNumber(1, 1));
  }

  long submit(JobSpec spec) {
    return ledger.submit("ann", spec).id();
  }

  void place() {
    Claim claim =
        claims.acquireOrRenew("dispatch:default", "test", Duration.ofMinutes(1)).orElseThrow();
    dispatch.run(claim, "default", true);
  }

  /** The attempts that a node has and has not reported the end of. */
  List<AttemptId> recorded(UUID node) {
    return database.read(handle -> attempts.of(handle, node)).stream()
        .map(Booking::attempt)
        .toList();
  }

  JobTotals totals() {
    return new JobTotals(database, new SystemClock());
  }

  @Override
  public void close() {
    database.close();
  }
}

package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.NodeStatus;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.api.node.NodeCommand;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.node.ExecutionNodeViews.NodeDenylist;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.database.WriteProof;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a node that is silent, and of what runs there. */
class LostNodeTest {
  private static final Heartbeat HEARTBEAT =
      new Heartbeat(
          Duration.ofSeconds(2),
          Duration.ofSeconds(6),
          Duration.ofSeconds(3),
          Duration.ofMinutes(10));
  private static final JobSpec SINGLE = JobBench.command().draft().single("nightly").spec();

  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private JobBench bench;
  private NodeExpiry expiry;
  private Claim claim;

  @BeforeEach
  void oneNode() {
    bench = new JobBench(HEARTBEAT);
    bench.employ(JobBench.E1, "e1", 5);
    expiry =
        new NodeExpiry(
            bench.database,
            bench.claims,
            bench.attempts,
            clock,
            new WriteProof(bench.database, clock),
            HEARTBEAT);
    claim = bench.claims.acquireOrRenew("expire-nodes", "t", Duration.ofMinutes(10)).orElseThrow();
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void isLostAtTheThirdMissedHeartbeatAndItsJobsRunElsewhere() {
    long id = placed(JobBench.command());
    pass(5);
    assertThat(standing()).isEqualTo(NodeStatus.ACTIVE);
    pass(1);
    assertThat(standing()).isEqualTo(NodeStatus.LOST);
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.view(id).reason()).isEqualTo("node e1 lost");
  }

  @Test
  void aSingleInstanceIsLostOnlyAfterItsWatchdogMustHaveEndedIt() {
    long ordinary = placed(JobBench.command());
    long single = placed(SINGLE);
    pass(8);
    assertThat(standing()).isEqualTo(NodeStatus.LOST);
    assertThat(bench.state(ordinary)).isEqualTo(JobState.WAITING);
    assertThat(bench.state(single)).isEqualTo(JobState.PLACED);
    pass(1);
    assertThat(bench.state(single)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aSingleInstanceWithItsOwnFailoverTimeKeepsItsNodeThatLong() {
    long single = placed(SINGLE.draft().failover(Duration.ofSeconds(60)).spec());
    pass(62);
    assertThat(bench.state(single)).isEqualTo(JobState.PLACED);
    pass(1);
    assertThat(bench.state(single)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aSingleInstanceThatWasNeverHandedOutIsLostWithTheNode() {
    long single = bench.submit(SINGLE);
    assertThat(bench.place()).isEqualTo(1);
    pass(6);
    assertThat(bench.state(single)).isEqualTo(JobState.WAITING);
  }

  @Test
  void attemptsThatWereNeverHandedOutDoNotCountAsRetries() {
    JobSpec delicate =
        JobBench.command(
            1, 0, new RetryPolicy(0, null, null, Set.of(FailureKind.EXIT), null, null));
    long never = bench.submit(delicate);
    assertThat(bench.place()).isEqualTo(1);
    pass(6);
    assertThat(bench.queries.view(never).reason()).contains("not counted as a try");
    assertThat(lostTries(never)).isZero();

    bench.employ(JobBench.E1, "e1", 5);
    assertThat(bench.place()).isEqualTo(1);
    bench.handOut(JobBench.E1);
    pass(7);
    assertThat(bench.state(never)).isEqualTo(JobState.FAILED);
  }

  @Test
  void attemptsThatWereNeverHandedOutKeepTheirPositionInTheQueue() {
    long first = bench.submit(JobBench.command());
    assertThat(bench.place()).isEqualTo(1);
    long second = bench.submit(JobBench.command());
    pass(6);
    bench.employ(JobBench.E2, "e2", 1);
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.state(first)).isEqualTo(JobState.PLACED);
    assertThat(bench.state(second)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aWorkerThatWasNeverHandedOutWaitsForAnotherNode() {
    long worker = bench.submit(JobKind.WORKER, JobBench.worker("alert", "q1")).get(0);
    assertThat(bench.place()).isEqualTo(1);
    pass(6);
    assertThat(bench.state(worker)).isEqualTo(JobState.WAITING);
    assertThat(finishedWorkers()).isZero();
  }

  @Test
  void aJobOfALaneIsLostAsLateAsASingleInstance() {
    long lane = placed(JobBench.command().draft().lane("orders").spec());
    pass(8);
    assertThat(bench.state(lane)).isEqualTo(JobState.PLACED);
    pass(1);
    assertThat(bench.state(lane)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aNodeThatReturnsInTimeKeepsItsSingleInstance() {
    long single = placed(SINGLE);
    pass(7);
    AttemptId attempt = new AttemptId(single, 1);
    assertThat(bench.register(JobBench.registration(JobBench.E1, "e1", 5, attempt)).keep())
        .containsExactly(attempt);
    pass(5);
    assertThat(bench.state(single)).isEqualTo(JobState.PLACED);
  }

  @Test
  void itsNamePassesToASuccessorOnlyAfterItsSingleInstancesEnded() {
    placed(SINGLE);
    pass(7);
    UUID successor = new UUID(9, 9);
    assertThatThrownBy(() -> bench.employ(successor, "e1", 1))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("may still run there");
    pass(2);
    bench.employ(successor, "e1", 1);
    assertThat(bench.nodes.list().get(0).id()).isEqualTo(successor);
  }

  @Test
  void attemptsOfANodeInMaintenanceAreLostOneFullLeaseAfterItsEnd() {
    long id = placed(JobBench.command());
    commands().maintain("e1", new NodeCommand(Duration.ofMinutes(5), "a new kernel"), "ann");
    pass(60);
    assertThat(bench.state(id)).isEqualTo(JobState.PLACED);

    sql("update node set duty_until = timestamp '2020-01-01 00:00:00'");
    pass(5);
    assertThat(bench.state(id)).isEqualTo(JobState.PLACED);
    pass(2);
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
  }

  @Test
  void maintenanceAnnouncedWhileANodeIsBeingDeclaredLostIsObeyed() {
    long id = placed(JobBench.command());
    pass(5);
    clock.advance(Duration.ofSeconds(1));
    expiry.observe();
    commands().maintain("e1", new NodeCommand(Duration.ofMinutes(5), "a new kernel"), "ann");
    expiry.run(claim);
    assertThat(bench.state(id)).isEqualTo(JobState.PLACED);
  }

  @Test
  void stepsOfTheDatabaseClockNeitherLoseNorKeepNodes() {
    pass(2);
    stepDatabase(1);
    pass(5);
    assertThat(standing()).as("an hour ahead").isEqualTo(NodeStatus.ACTIVE);

    stepDatabase(-1);
    pass(6);
    assertThat(standing()).as("an hour back").isEqualTo(NodeStatus.LOST);
  }

  @Test
  void aDatabaseOutageDoesNotLoseNodes() {
    pass(4);
    clock.advance(Duration.ofMinutes(2));
    pass(5);
    assertThat(standing()).isEqualTo(NodeStatus.ACTIVE);
    pass(2);
    assertThat(standing()).isEqualTo(NodeStatus.LOST);
  }

  @Test
  void isForgottenTenMinutesAfterItsLossUnlessItHasBookingsOrIsDrained() {
    pass(7);
    assertThat(standing()).isEqualTo(NodeStatus.LOST);
    pass(5);
    assertThat(bench.nodes.list()).hasSize(1);
    sql("update node set retired_at = dateadd(minute, -11, retired_at), duty = 'DRAINING'");
    pass(1);
    assertThat(bench.nodes.list()).hasSize(1);
    commands().undrain("e1", "ann");
    pass(1);
    assertThat(bench.nodes.list()).isEmpty();
  }

  /** Nobody can renew anything meanwhile, though everything can be read. */
  @Test
  void timeWithoutDatabaseWritesDoesNotCountTowardsLoss() {
    long id = placed(JobBench.command());
    pass(5);
    sql("alter table write_proof rename to refused");
    for (int second = 0; second < 60; second++) {
      clock.advance(Duration.ofSeconds(1));
      assertThatThrownBy(expiry::observe).isInstanceOf(RuntimeException.class);
      expiry.run(claim);
    }
    sql("alter table refused rename to write_proof");
    pass(5);
    assertThat(standing()).isEqualTo(NodeStatus.ACTIVE);
    assertThat(bench.state(id)).isEqualTo(JobState.PLACED);
    pass(1);
    assertThat(standing()).isEqualTo(NodeStatus.LOST);
  }

  @Test
  void mayRegisterAgainBeforeItIsForgotten() {
    pass(7);
    bench.employ(JobBench.E1, "e1", 5);
    pass(1);
    assertThat(standing()).isEqualTo(NodeStatus.ACTIVE);
    sql("update node set retired_at = null where retired_at is not null");
  }

  private int lostTries(long id) {
    return bench.database.read(
        handle ->
            handle
                .createQuery("select lost_tries from job where id = :id")
                .bind("id", id)
                .mapTo(Integer.class)
                .one());
  }

  private long finishedWorkers() {
    return bench.database.read(
        handle ->
            handle
                .createQuery("select coalesce(sum(finished), 0) from worker_total")
                .mapTo(Long.class)
                .one());
  }

  private long placed(JobSpec spec) {
    long id = bench.submit(spec);
    assertThat(bench.place()).isEqualTo(1);
    bench.handOut(JobBench.E1);
    return id;
  }

  private void pass(int seconds) {
    for (int second = 0; second < seconds; second++) {
      look();
      clock.advance(Duration.ofSeconds(1));
    }
    look();
  }

  private void look() {
    expiry.observe();
    expiry.run(claim);
  }

  /** What is stored lies as much the other way then. */
  private void stepDatabase(int hours) {
    String past = "update node set %1$s = dateadd(hour, %2$d, %1$s)";
    sql(past.formatted("heard_at", -hours));
    sql(past.formatted("lease_until", -hours));
  }

  private NodeStatus standing() {
    return bench.nodes.list().get(0).status();
  }

  private ExecutionNodeCommands commands() {
    return new ExecutionNodeCommands(
        bench.database, new ExecutionNodeViews(bench.database, NodeDenylist.NONE), bench.wakeUps);
  }

  private void sql(String statement) {
    bench.database.transaction(handle -> handle.execute(statement));
  }
}

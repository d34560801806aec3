package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.job.SegmentKey;
import io.millrace.platform.claim.Claim;
import io.millrace.platform.clock.ManualClock;
import io.millrace.platform.database.WriteProof;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that registers, or leaves, without an exclusive attempt that it should hold. */
class MissingExclusivesTest {
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
  void aMissingSingleInstanceIsLostOnlyAfterItsWatchdogMustHaveEndedIt() {
    long ordinary = handedOut(JobBench.command());
    long single = handedOut(SINGLE);
    bench.employ(JobBench.E1, "e1", 5);
    assertThat(bench.state(ordinary)).isEqualTo(JobState.WAITING);

    passWhileHeard(8);
    assertThat(bench.state(single)).isEqualTo(JobState.PLACED);
    passWhileHeard(1);
    assertThat(bench.state(single)).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.view(single).reason())
        .isEqualTo("node e1 does not report this attempt");
  }

  @Test
  void aMissingJobOfALaneIsLostAsLate() {
    long lane = handedOut(JobBench.command().draft().lane("orders").spec());
    bench.employ(JobBench.E1, "e1", 5);
    passWhileHeard(8);
    assertThat(bench.state(lane)).isEqualTo(JobState.PLACED);
    passWhileHeard(1);
    assertThat(bench.state(lane)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aMissingJobsOwnFailoverTimeApplies() {
    long single = handedOut(SINGLE.draft().failover(Duration.ofSeconds(60)).spec());
    bench.employ(JobBench.E1, "e1", 5);
    passWhileHeard(62);
    assertThat(bench.state(single)).isEqualTo(JobState.PLACED);
    passWhileHeard(1);
    assertThat(bench.state(single)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aMissingJobThatWasNeverHandedOutWaitsAgainImmediately() {
    long single = bench.submit(SINGLE);
    assertThat(bench.place()).isEqualTo(1);
    bench.employ(JobBench.E1, "e1", 5);
    assertThat(bench.state(single)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aBuiltInManagerEndsWithItsAgentAndWaitsAgainImmediately() {
    long manager = handedOut(JobBench.manager(new SegmentKey("alert", "q1")));
    bench.employ(JobBench.E1, "e1", 5);
    assertThat(bench.state(manager)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aMissingJobThatTheNodeFindsAgainContinues() {
    long single = handedOut(SINGLE);
    bench.employ(JobBench.E1, "e1", 5);
    passWhileHeard(5);
    bench.employ(JobBench.E1, "e1", 5, new AttemptId(single, 1));
    passWhileHeard(20);
    assertThat(bench.state(single)).isEqualTo(JobState.PLACED);

    bench.employ(JobBench.E1, "e1", 5);
    passWhileHeard(8);
    assertThat(bench.state(single)).as("the time counts anew").isEqualTo(JobState.PLACED);
  }

  @Test
  void theWatchdogTimeAppliesWhenANodeLeavesWithoutReportingTheEnd() {
    long ordinary = handedOut(JobBench.command());
    long single = handedOut(SINGLE);
    bench.deregister(JobBench.E1);
    assertThat(bench.state(ordinary)).isEqualTo(JobState.WAITING);
    assertThat(bench.state(single)).isEqualTo(JobState.PLACED);
    assertThatThrownBy(() -> bench.employ(new UUID(9, 9), "e1", 1))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("may still run there");

    pass(8);
    assertThat(bench.state(single)).isEqualTo(JobState.PLACED);
    pass(1);
    assertThat(bench.state(single)).isEqualTo(JobState.WAITING);
  }

  @Test
  void missingAttemptsOfANodeInMaintenanceSayThatItShutDown() {
    long single = handedOut(SINGLE);
    bench.database.transaction(
        handle ->
            handle.execute(
                "update node set duty = 'MAINTENANCE', duty_until = timestamp '2100-01-01"
                    + " 00:00:00'"));
    bench.deregister(JobBench.E1);
    pass(9);
    assertThat(bench.state(single)).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.view(single).reason())
        .isEqualTo("node e1 shut down before reporting how the attempt ended");
  }

  private long handedOut(JobSpec spec) {
    long id = bench.submit(spec);
    assertThat(bench.place()).isEqualTo(1);
    bench.handOut(JobBench.E1);
    return id;
  }

  private void passWhileHeard(int seconds) {
    for (int second = 0; second < seconds; second++) {
      bench.database.transaction(
          handle ->
              handle.execute(
                  "update node set heard_at = dateadd(second, 1, heard_at), lease_until ="
                      + " dateadd(second, 1, lease_until)"));
      pass(1);
    }
  }

  private void pass(int seconds) {
    look();
    for (int second = 0; second < seconds; second++) {
      clock.advance(Duration.ofSeconds(1));
      look();
    }
  }

  private void look() {
    expiry.observe();
    expiry.run(claim);
  }
}

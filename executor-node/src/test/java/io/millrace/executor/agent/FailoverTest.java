package io.millrace.executor.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.executor.agent.AttemptService.Failover;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FailoverTest {
  private static final Duration LEASE = Duration.ofSeconds(6);
  private static final JobSpec ORDINARY = JobDraft.command("/bin/true").spec();
  private static final JobSpec SINGLE = ORDINARY.draft().single("nightly").spec();

  @Test
  void anOrdinaryJobContinuesHoweverLongNoManagerAnswers() {
    assertThat(Failover.isDue(ORDINARY, Duration.ofDays(1), LEASE)).isFalse();
  }

  @Test
  void aSingleInstanceIsAskedToEndShortlyBeforeItsWatchdogKillsIt() {
    assertThat(Failover.isDue(SINGLE, Duration.ofMillis(5_400), LEASE)).isFalse();
    assertThat(Failover.isDue(SINGLE, Duration.ofMillis(5_500), LEASE)).isTrue();
  }

  @Test
  void itsOwnFailoverCountsUnlessItIsShorterThanTheLease() {
    JobSpec patient = SINGLE.draft().failover(Duration.ofHours(1)).spec();
    assertThat(Failover.isDue(patient, Duration.ofMinutes(59), LEASE)).isFalse();
    assertThat(Failover.isDue(patient, Duration.ofMinutes(60).minusSeconds(9), LEASE)).isTrue();
    JobSpec hasty = SINGLE.draft().failover(Duration.ofSeconds(1)).spec();
    assertThat(Failover.isDue(hasty, Duration.ofSeconds(5), LEASE)).isFalse();
  }

  @Test
  void aJobOfALaneIsASingleInstanceToo() {
    JobSpec lane = ORDINARY.draft().lane("orders").spec();
    assertThat(Failover.isDue(lane, LEASE, LEASE)).isTrue();
  }
}

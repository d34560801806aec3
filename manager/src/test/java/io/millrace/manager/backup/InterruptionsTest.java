package io.millrace.manager.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.manager.backup.RestoreDao.RunningJob;
import io.millrace.manager.node.Heartbeat;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@code restore} says about the jobs that were running. */
class InterruptionsTest {
  private static final JobSpec PLAIN = JobDraft.command("/bin/true").spec();
  private static final JobSpec EXCLUSIVE =
      JobDraft.command("/bin/true").lane("db").failover(Duration.ofMinutes(1)).spec();
  private static final JobSpec WITHOUT_FAILOVER =
      JobDraft.command("/bin/true").single("nightly").spec();

  @Test
  void aJobThatSurvivesItsNodeRunsAgainAndAnotherOneFails() {
    assertThat(next(usual(), PLAIN, false)).isEqualTo("runs again, unless its node still runs it");
    RetryPolicy ofExits = new RetryPolicy(3, null, null, Set.of(FailureKind.EXIT), null, null);
    for (JobSpec spec : new JobSpec[] {PLAIN, EXCLUSIVE}) {
      JobSpec bound = spec.draft().retry(ofExits).spec();
      assertThat(next(usual(), bound, false))
          .isEqualTo(
              "fails unless its node still runs it: its retry policy does not cover node-lost");
      assertThat(next(usual(), bound, true)).as("always started again").startsWith("runs again");
    }
  }

  @Test
  void anExclusiveJobRunsAgainWhenNoProcessOfItCanBeRunningAndTheWaitIsOver() {
    assertThat(next(usual(), EXCLUSIVE, false))
        .isEqualTo(
            "runs again, unless its node still runs it; not before its node has been silent for"
                + " 1m3s and the wait for single instances is over");
    assertThat(next(usual(), WITHOUT_FAILOVER, false))
        .contains("not before its node has been silent for 9s and the wait");
    assertThat(next(new Interruptions(Heartbeat.defaults(), false, false), EXCLUSIVE, false))
        .endsWith("not before its node has been silent for 1m3s");
  }

  @Test
  void onDrainedNodesNothingRunsAgainBeforeOneIsUndrained() {
    Interruptions drained = new Interruptions(Heartbeat.defaults(), true, true);
    assertThat(next(drained, PLAIN, false))
        .isEqualTo("would run again once a node is undrained, unless its node still runs it");
    RunningJob worker = new RunningJob(17, JobKind.WORKER, "e1", 1, PLAIN, false);
    assertThat(drained.of(worker).next())
        .isEqualTo("its events are delivered again, once a node is undrained");
    assertThat(usual().of(worker).next()).isEqualTo("its events are delivered again");
  }

  private static Interruptions usual() {
    return new Interruptions(Heartbeat.defaults(), false, true);
  }

  private static String next(Interruptions interruptions, JobSpec spec, boolean restarts) {
    return interruptions.of(new RunningJob(17, JobKind.SUBMITTED, "e1", 1, spec, restarts)).next();
  }
}

package io.millrace.manager.insight;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.job.SegmentKey;
import io.millrace.manager.node.ClockSteps;
import io.millrace.manager.node.ExecutionNodeViews;
import io.millrace.manager.node.ExecutionNodeViews.NodeDenylist;
import io.millrace.manager.node.Heartbeat;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProblemServiceTest {
  private final JobBench bench = new JobBench(Heartbeat.defaults());
  private final ProblemService problems =
      new ProblemService(
          bench.database,
          new ExecutionNodeViews(bench.database, NodeDenylist.NONE)::list,
          new ClockSteps(bench.database),
          bench.claims);

  @BeforeEach
  void nothingIsWrong() {
    bench.employ(JobBench.E1, "e1", 1);
    assertThat(problems.all()).isEmpty();
  }

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void queueManagersAndSingleInstancesThatDoNotRunAreProblems() {
    bench.submit(JobKind.MANAGER, JobBench.manager(new SegmentKey("alert", "q1")));
    bench.submit(JobBench.command().draft().single("nightly").spec());
    bench.submit(JobBench.command());
    assertThat(problems.all()).isEmpty();
    sql("update job_ready set ready_at = dateadd(minute, -2, ready_at)");
    assertThat(problems.all())
        .extracting(Alert::code)
        .containsExactlyInAnyOrder("QUEUE_MANAGER_NOT_RUNNING", "SINGLE_INSTANCE_NOT_RUNNING");
    assertThat(problems.all().get(0).message()).contains("2m").contains("millrace job explain");
  }

  @Test
  void aPoolWithWaitingJobsAndNoNodeIsAProblem() {
    bench.submit(JobDraft.command("/bin/true").pool("gpu").spec());
    assertThat(only())
        .satisfies(alert -> assertThat(alert.code()).isEqualTo("POOL_WITHOUT_NODE"))
        .satisfies(alert -> assertThat(alert.subject()).isEqualTo("gpu"))
        .satisfies(alert -> assertThat(alert.message()).contains("serve default."));
  }

  @Test
  void aLostNodeServesNoPoolThoughItWasDrainedBefore() {
    bench.submit(JobDraft.command("/bin/true").pool("default").spec());
    sql("update node set duty = 'DRAINING'");
    assertThat(problems.all()).as("it may return to service").isEmpty();

    sql("update node set standing = 'RETIRED', retired_at = heard_at");
    assertThat(problems.all()).extracting(Alert::code).containsExactly("POOL_WITHOUT_NODE");
  }

  @Test
  void aNearDeadlineOfAJobThatHasNotStartedIsAProblem() {
    bench.submit(
        JobBench.command()
            .draft()
            .deadline(bench.database.now().plus(Duration.ofMinutes(3)))
            .spec());
    assertThat(only().code()).isEqualTo("DEADLINE_NEAR");
  }

  @Test
  void fullDisksWrongClocksAndSilentNodesAreProblems() {
    sql("update node set accepting = false, clock_offset_millis = -90000");
    assertThat(problems.all()).extracting(Alert::code).containsExactly("DISK_FULL", "CLOCK_OFFSET");
    assertThat(problems.all().get(1).message()).contains("1m30s behind");
    sql("update node set standing = 'RETIRED'");
    assertThat(only().code()).isEqualTo("EXECUTION_NODE_LOST");
    sql("update node set duty = 'DRAINING'");
    assertThat(problems.all()).isEmpty();
  }

  @Test
  void aSilentNodeWhoseAttemptsMayStillRunIsAProblem() {
    bench.submit(JobBench.command());
    bench.place();
    sql("update node set standing = 'RETIRED'");
    assertThat(only().code()).isEqualTo("EXECUTION_NODE_SILENT");
  }

  @Test
  void aDutyWithoutAHolderIsAProblem() {
    bench.claims.acquireOrRenew("expire-nodes", "c1", Duration.ofSeconds(5));
    bench.claims.acquireOrRenew("dispatch:gpu", "c1", Duration.ofSeconds(5));
    assertThat(problems.all()).isEmpty();
    sql("update claim set expires_at = dateadd(minute, -2, expires_at)");
    assertThat(only())
        .satisfies(alert -> assertThat(alert.code()).isEqualTo("CLAIM_UNHELD"))
        .satisfies(alert -> assertThat(alert.subject()).isEqualTo("expire-nodes"));
  }

  private Alert only() {
    List<Alert> all = problems.all();
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  private void sql(String statement) {
    bench.database.transaction(handle -> handle.execute(statement));
  }
}

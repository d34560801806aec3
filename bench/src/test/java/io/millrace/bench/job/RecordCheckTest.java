package io.millrace.bench.job;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.bench.job.RecordedJobDao.RecordedJob;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.clock.SystemClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordCheckTest {
  private static final JobSpec GOOD = JobDraft.command("/bin/true").spec();

  @TempDir private static Path folder;
  private static final Clock CLOCK = new SystemClock();
  private static JobsCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = JobsCluster.start(new JobsBenchPlan(3, false, 0, null, 1, 1, 2, 1, 1, folder), CLOCK);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void jobsWithAllRecordsPass() throws Exception {
    List<Long> ids = ended(GOOD);
    assertThatCode(() -> new RecordCheck(cluster, true).require(ids)).doesNotThrowAnyException();
  }

  @Test
  void aJobWithoutItsExitRecordFails() throws Exception {
    List<Long> ids = ended(GOOD);
    RecordedJob job = cluster.records().read(ids).get(1);
    Files.delete(files(job).resolve("exit"));
    assertThatThrownBy(() -> new RecordCheck(cluster, true).require(ids))
        .hasMessageContaining("job " + job.id() + " has no ")
        .hasMessageContaining("exit");
  }

  @Test
  void aJobThatFailedFails() throws Exception {
    List<Long> ids = ended(JobDraft.command("/bin/false").spec());
    assertThatThrownBy(() -> new RecordCheck(cluster, true).require(ids))
        .hasMessageContaining("job " + ids.get(0) + " is failed");
  }

  @Test
  void aJobMissingInTheDatabaseFails() throws Exception {
    List<Long> ids = List.of(ended(GOOD).get(0), 999_999L);
    assertThatThrownBy(() -> new RecordCheck(cluster, true).require(ids))
        .hasMessageContaining("1 jobs are not in the database");
  }

  private List<Long> ended(JobSpec spec) throws InterruptedException {
    JobRound round = new JobRound(cluster, spec, CLOCK);
    round.perSecond(3, () -> {});
    return List.copyOf(round.ids());
  }

  private Path files(RecordedJob job) {
    return cluster.nodes().files(job.node(), new AttemptId(job.id(), job.attempt())).path();
  }
}

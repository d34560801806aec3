package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.ProgramProgress;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.ReportedProgress;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.node.PollAnswer.ProgressReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProgressReportsTest {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

  private final ArrayBench arrays = new ArrayBench(4);
  private final JobBench bench = arrays.jobs;
  private final ProgressReports progress = new ProgressReports(bench.database);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void theNewestReportOfTheCurrentAttemptIsShown() {
    AttemptId attempt = running(JobBench.command());
    assertThat(shown(attempt.job())).isNull();
    report(attempt, "1/4 first");
    report(attempt, "2/4 second");
    ProgramProgress shown = shown(attempt.job());
    assertThat(shown.percent()).isEqualTo(50);
    assertThat(shown.done()).isEqualTo(2);
    assertThat(shown.total()).isEqualTo(4);
    assertThat(shown.message()).isEqualTo("second");
    assertThat(shown.reportedAt()).isNotNull();
  }

  @Test
  void aLateReportOfAnEarlierAttemptAndOneOfAnotherNodeAreRefused() {
    RetryPolicy retry = RetryPolicy.upTo(3, Duration.ofMillis(1), Duration.ofMillis(1));
    AttemptId first = running(JobBench.command(1, 0, retry));
    report(first, "90%");
    bench.end(first, Outcome.FAILED, 1);
    AttemptId second = next(first);
    assertThat(shown(first.job())).as("before the first report of the attempt").isNull();
    report(second, "10%");
    report(first, "95%");
    assertThat(shown(first.job()).percent()).isEqualTo(10);
    UUID other = bench.nodeOf(second).equals(JobBench.E1) ? JobBench.E2 : JobBench.E1;
    progress.take(other, List.of(of(second, "99%")));
    assertThat(shown(first.job()).percent()).isEqualTo(10);
  }

  @Test
  void theLastReportOfAnAttemptIsKeptWithItsEndAndDeletedWithItsJob() {
    AttemptId attempt = running(JobBench.command());
    report(attempt, "1/4");
    bench.reports.take(
        bench.nodeOf(attempt),
        List.of(
            JobBench.ended(attempt, Outcome.FAILED, 1, 1000)
                .withProgress(new ReportedProgress(null, 3L, 4L, "table 3"))));
    assertThat(bench.state(attempt.job())).isEqualTo(JobState.FAILED);
    assertThat(shown(attempt.job()).percent()).isEqualTo(75);
    bench.database.transaction(
        handle -> new JobRetentionDao().delete(handle, List.of(attempt.job())));
    assertThat(rows()).isZero();
  }

  @Test
  void anArrayShowsThePercentageOfAllItsElements() {
    long array = arrays.submit("1-10");
    bench.place();
    arrays.startPlaced(array);
    arrays.tend();
    assertThat(shown(array)).isNull();
    List<JobView> elements = arrays.elements(array, JobState.RUNNING);
    AttemptId done = new AttemptId(elements.get(0).id(), 1);
    report(done, "99%");
    bench.reports.take(
        bench.nodeOf(done),
        List.of(
            JobBench.ended(done, Outcome.SUCCEEDED, 0, 1000)
                .withProgress(new ReportedProgress(100.0, null, null, null))));
    report(new AttemptId(elements.get(1).id(), 1), "50%");
    report(new AttemptId(elements.get(2).id(), 1), "25%");
    report(new AttemptId(elements.get(3).id(), 1), "no percentage");
    arrays.tend();
    assertThat(shown(array).percent()).as("1 + 0.5 + 0.25 of 10 elements").isEqualTo(17.5);
    assertThat(rows()).as("only of running elements").isEqualTo(3);
  }

  @Test
  void theExpectedEndFollowsFromTheRateOfTheReports() {
    assertThat(ProgramProgressDao.expectedEnd(20.0, NOON, 40.0, NOON.plusSeconds(60)))
        .isEqualTo(NOON.plusSeconds(240));
    assertThat(ProgramProgressDao.expectedEnd(20.0, NOON, 20.0, NOON.plusSeconds(60))).isNull();
    assertThat(ProgramProgressDao.expectedEnd(20.0, NOON, 40.0, NOON.plusMillis(5))).isNull();
    assertThat(ProgramProgressDao.expectedEnd(null, NOON, null, NOON)).isNull();
  }

  @Test
  void aProgramThatBeginsAgainIsTimedFromThere() {
    AttemptId attempt = running(JobBench.command());
    report(attempt, "50%");
    bench.database.transaction(
        handle ->
            handle.execute(
                "update program_progress set first_at = dateadd(second, -100, first_at)"));
    report(attempt, "60%");
    assertThat(shown(attempt.job()).expectedEnd()).isNotNull();
    report(attempt, "5%");
    assertThat(shown(attempt.job()).expectedEnd()).isNull();
  }

  private AttemptId running(JobSpec spec) {
    long id = bench.submit(spec);
    bench.place();
    AttemptId attempt = new AttemptId(id, 1);
    bench.start(attempt);
    return attempt;
  }

  private AttemptId next(AttemptId before) {
    bench.database.transaction(
        handle -> handle.execute("update job_ready set ready_at = dateadd(hour, -1, ready_at)"));
    bench.place();
    AttemptId attempt = new AttemptId(before.job(), before.number() + 1);
    bench.start(attempt);
    return attempt;
  }

  private void report(AttemptId attempt, String line) {
    progress.take(bench.nodeOf(attempt), List.of(of(attempt, line)));
  }

  private static ProgressReport of(AttemptId attempt, String line) {
    return new ProgressReport(attempt, ReportedProgress.parse(line).orElseThrow());
  }

  private ProgramProgress shown(long job) {
    return bench.queries.view(job).programProgress();
  }

  private int rows() {
    return bench.database.read(
        handle ->
            handle.createQuery("select count(*) from program_progress").mapTo(Integer.class).one());
  }
}

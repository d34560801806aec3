package io.millrace.tests.drill.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.tests.drill.cluster.FaultTimeline.Injected;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryUsageTest {
  private static final RetryPolicy NO_LOSS =
      new RetryPolicy(
          2, null, null, EnumSet.complementOf(EnumSet.of(FailureKind.NODE_LOST)), null, null);

  @Test
  void aJobThatFailedAsOftenAsAllowedIsAccepted() {
    JobDetails job =
        job(RetryPolicy.upTo(1))
            .attempt("e1", 1, 2, Outcome.FAILED, 7)
            .attempt("e1", 3, 4, Outcome.FAILED, 7)
            .in(JobState.FAILED);

    assertThat(unused(job, "start 1.1 5 1.00 n a", "start 1.2 6 3.00 n a")).isEmpty();
  }

  @Test
  void anAttemptWhoseProcessNeverStartedDoesNotUseATry() {
    JobDetails job =
        job(RetryPolicy.upTo(1))
            .attempt("e1", 1, 2, Outcome.FAILED, 7)
            .attempt("e1", 3, 4, Outcome.FAILED, 7)
            .in(JobState.FAILED);

    assertThat(unused(job, "start 1.1 5 1.00 n a"))
        .singleElement()
        .asString()
        .contains("failed permanently", "only 1 times of 2");
  }

  @Test
  void aJobThatDoesNotSurviveItsNodeFailsWithIt() {
    JobDetails job = job(NO_LOSS).attempt("e1", 1, 20, Outcome.LOST, null).in(JobState.FAILED);

    assertThat(unused(job, "start 1.1 5 1.10 n a")).isEmpty();
  }

  @Test
  void aJobThatDoesNotSurviveItsNodeMustNotFailBeforeItRan() {
    JobDetails job = job(NO_LOSS).attempt("e1", 30, 36, Outcome.LOST, null).in(JobState.FAILED);

    assertThat(unused(job)).hasSize(1);
  }

  @Test
  void aFailureIsAcceptedIfTheNodeWasHitWhileTheJobMayHaveStarted() {
    JobDetails job = job(NO_LOSS).attempt("e1", 5, 16, Outcome.LOST, null).in(JobState.FAILED);

    assertThat(unused(job)).isEmpty();
  }

  @Test
  void aJobThatSurvivesItsNodeDoesNotFailWithIt() {
    JobDetails job =
        job(RetryPolicy.upTo(2)).attempt("e1", 1, 16, Outcome.LOST, null).in(JobState.FAILED);

    assertThat(unused(job, "start 1.1 5 1.00 n a")).hasSize(1);
  }

  @Test
  void anAttemptThatRanIsNotAFailedStart() {
    JobDetails job =
        job(RetryPolicy.upTo(2))
            .attempt("e1", 1, 2, Outcome.START_FAILED, null)
            .attempt("e1", 3, 4, Outcome.SUCCEEDED, 0)
            .in(JobState.SUCCEEDED);

    assertThat(unused(job, "start 1.1 5 1.00 n a", "start 1.2 6 3.00 n a")).hasSize(1);
    assertThat(unused(job, "start 1.2 6 3.00 n a")).isEmpty();
  }

  private static RecordedJob job(RetryPolicy retry) {
    return new RecordedJob(1, JobDraft.command("true").retry(retry).spec());
  }

  /** The node e1 was hit from 10 to 12. */
  private static List<String> unused(JobDetails job, String... lines) {
    List<ClusterSample> samples =
        IntStream.rangeClosed(0, 60)
            .mapToObj(
                second ->
                    new ClusterSample(second, RecordedJob.database(second), List.of(), List.of()))
            .toList();
    return RetryUsage.unused(
        List.of(job),
        RunJournal.of(List.of(lines)),
        new DatabaseTimes(samples),
        new Availability(List.of(new Injected("kill", Set.of("e1"), 10, 12)), List.of("c1")));
  }
}

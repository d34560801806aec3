package io.millrace.tests.drill.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.tests.drill.check.RecordedJob;
import io.millrace.tests.drill.check.RunJournal;
import io.millrace.tests.drill.jobs.DrillJob.Rule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobCheckerTest {
  private final List<String> lines = new ArrayList<>();
  private final List<RecordedJobs> files = new ArrayList<>();

  @Test
  void aJobThatSucceededAtItsSecondAttemptIsAccepted() {
    lines("start 1.1 5 1.00 n a", "end 1.1 5 1.50 7", "start 1.2 6 3.00 n a", "end 1.2 6 4.00 0");
    file(
        Rule.PLAIN,
        job(1)
            .attempt("e1", 1, 2, Outcome.FAILED, 7)
            .event(2, JobState.WAITING, 1)
            .attempt("e1", 3, 4, Outcome.SUCCEEDED, 0)
            .event(4, JobState.SUCCEEDED, 2)
            .in(JobState.SUCCEEDED));

    assertThat(violations()).isEmpty();
  }

  @Test
  void aJobThatHasNotEndedIsReported() {
    file(Rule.PLAIN, job(1).in(JobState.WAITING));

    assertThat(violations()).anyMatch(one -> one.contains("should have ended as [SUCCEEDED]"));
  }

  @Test
  void aSuccessWithoutAFinishedProcessIsReported() {
    lines("start 1.1 5 1.00 n a");
    file(Rule.PLAIN, succeeded(1));

    assertThat(violations())
        .singleElement()
        .asString()
        .contains("attempt 1 SUCCEEDED, but its process says");
  }

  @Test
  void aWrongExitCodeIsReported() {
    lines("start 1.1 5 1.00 n a", "end 1.1 5 1.50 7");
    file(Rule.PLAIN, succeeded(1));

    assertThat(violations()).singleElement().asString().contains("but its process says");
  }

  @Test
  void anAttemptThatEndedTwiceIsReported() {
    lines("start 1.1 5 1.00 n a", "end 1.1 5 2.00 0");
    file(
        Rule.PLAIN,
        job(1)
            .attempt("e1", 1, 2, Outcome.SUCCEEDED, 0)
            .event(2, JobState.WAITING, 1)
            .event(2, JobState.SUCCEEDED, 1)
            .in(JobState.SUCCEEDED));

    assertThat(violations()).singleElement().asString().contains("attempt 1 ended more than once");
  }

  @Test
  void aJobMayBeCancelledWhileItWaitsForItsNextAttempt() {
    lines("start 1.1 5 1.00 n a", "end 1.1 5 2.00 7");
    file(
        Rule.RESTARTED,
        job(1)
            .attempt("e1", 1, 2, Outcome.FAILED, 7)
            .event(2, JobState.WAITING, 1)
            .event(3, JobState.CANCELLED, 1)
            .in(JobState.CANCELLED));

    assertThat(violations()).isEmpty();
  }

  @Test
  void aRepeatedSuccessIsReported() {
    lines("start 1.1 5 1.00 n a", "end 1.1 5 2.00 0", "start 1.2 6 3.00 n a", "end 1.2 6 4.00 0");
    file(
        Rule.PLAIN,
        job(1)
            .attempt("e1", 1, 2, Outcome.SUCCEEDED, 0)
            .attempt("e1", 3, 4, Outcome.SUCCEEDED, 0)
            .event(4, JobState.SUCCEEDED, 2)
            .in(JobState.SUCCEEDED));

    assertThat(violations()).singleElement().asString().contains("succeeded and was repeated");
  }

  @Test
  void overlappingSingleInstancesAreReportedAcrossJobs() {
    lines("start 1.1 5 1.00 n a", "end 1.1 5 2.00 0", "start 2.1 6 1.50 m a", "end 2.1 6 2.50 0");
    for (long id = 1; id <= 2; id++) {
      JobDraft draft = JobDraft.command("true").single("one");
      RecordedJob job = new RecordedJob(id, draft.spec());
      file(Rule.SINGLE, end(job));
    }

    assertThat(violations()).singleElement().asString().contains("one: 1.1", "overlaps with 2.1");
  }

  @Test
  void aLaneOutOfOrderIsReported() {
    lines("start 2.1 5 1.00 n a", "end 2.1 5 2.00 0", "start 1.1 6 3.00 m a", "end 1.1 6 4.00 0");
    for (long id = 1; id <= 2; id++) {
      RecordedJob job = new RecordedJob(id, JobDraft.command("true").lane("lane").spec());
      file(Rule.LANE, end(job));
    }

    assertThat(violations()).singleElement().asString().contains("started after job 2");
  }

  @Test
  void anAttemptThatWasStartedTwiceIsReported() {
    lines("start 1.1 5 1.00 n a", "end 1.1 5 2.00 0", "start 1.1 6 3.00 n a", "end 1.1 6 4.00 0");
    file(Rule.PLAIN, succeeded(1));

    assertThat(violations()).singleElement().asString().contains("was started twice");
  }

  private static RecordedJob job(long id) {
    return new RecordedJob(id, JobDraft.command("true").spec());
  }

  private static JobDetails succeeded(long id) {
    return end(job(id));
  }

  private static JobDetails end(RecordedJob job) {
    return job.attempt("e1", 1, 2, Outcome.SUCCEEDED, 0)
        .event(2, JobState.SUCCEEDED, 1)
        .in(JobState.SUCCEEDED);
  }

  private void lines(String... some) {
    lines.addAll(List.of(some));
  }

  private void file(Rule rule, JobDetails job) {
    AcceptedJob submitted = new AcceptedJob(job.job().id(), new DrillJob(rule, job.spec()));
    files.add(new RecordedJobs(submitted, job, List.of()));
  }

  private List<String> violations() {
    return JobChecker.violations(RunJournal.of(lines), files);
  }
}

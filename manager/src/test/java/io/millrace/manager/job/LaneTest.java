package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.JobActions.ActionRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LaneTest {
  private final JobBench bench = JobBench.withTwoNodes(4);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void jobsOfALaneRunOneAtATimeInTheOrderOfTheirSubmission() {
    long first = bench.submit(lane("db"));
    long second = bench.submit(lane("db"));
    long third = bench.submit(lane("db"));
    assertThat(bench.state(second)).isEqualTo(JobState.BLOCKED);
    assertThat(bench.queries.view(second).reason()).isEqualTo("waits for its turn in lane db");
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.place()).isZero();
    end(first, 1, Outcome.SUCCEEDED);
    assertThat(bench.state(second)).isEqualTo(JobState.WAITING);
    assertThat(bench.state(third)).isEqualTo(JobState.BLOCKED);
    assertThat(bench.place()).isEqualTo(1);
    end(second, 1, Outcome.FAILED);
    assertThat(bench.state(third)).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.details(third).history())
        .extracting(JobEvent::words)
        .contains("first in lane db");
  }

  @Test
  void jobsOfOneBatchKeepTheirOrder() {
    List<Long> ids =
        bench.submit(JobKind.SUBMITTED, lane("db"), lane("other"), lane("db"), JobBench.command());
    assertThat(ids.stream().map(bench::state))
        .containsExactly(JobState.WAITING, JobState.WAITING, JobState.BLOCKED, JobState.WAITING);
  }

  @Test
  void aRetryWithItsBackOffKeepsTheLane() {
    RetryPolicy later = RetryPolicy.upTo(1, Duration.ofHours(1), Duration.ofHours(1));
    long first = bench.submit(lane("db").draft().retry(later).spec());
    long second = bench.submit(lane("db"));
    bench.place();
    end(first, 1, Outcome.FAILED);
    assertThat(bench.state(first)).isEqualTo(JobState.WAITING);
    assertThat(bench.place()).isZero();
    assertThat(bench.state(second)).isEqualTo(JobState.BLOCKED);
  }

  @Test
  void aHeldJobHoldsItsLaneUntilItIsReleased() {
    long first = bench.submit(lane("db"));
    long second = bench.submit(lane("db"));
    act(first, Verb.HOLD);
    assertThat(bench.place()).isZero();
    assertThat(bench.state(second)).isEqualTo(JobState.BLOCKED);
    act(first, Verb.RELEASE);
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.state(first)).isEqualTo(JobState.PLACED);
  }

  @Test
  void cancellingTheFirstLetsTheNextStartAndCancellingALaterOneChangesNothing() {
    long first = bench.submit(lane("db"));
    long second = bench.submit(lane("db"));
    long third = bench.submit(lane("db"));
    act(second, Verb.CANCEL);
    assertThat(bench.state(first)).isEqualTo(JobState.WAITING);
    assertThat(bench.state(third)).isEqualTo(JobState.BLOCKED);
    act(first, Verb.CANCEL);
    assertThat(bench.state(third)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aManuallyRetriedJobGoesToTheEndOfItsLane() {
    long first = bench.submit(lane("db"));
    long second = bench.submit(lane("db"));
    act(first, Verb.CANCEL);
    act(first, Verb.RETRY);
    assertThat(bench.state(first)).isEqualTo(JobState.BLOCKED);
    bench.place();
    end(second, 1, Outcome.SUCCEEDED);
    assertThat(bench.state(first)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aLaneIsEmptyAgainWhenItsJobsHaveEnded() {
    long first = bench.submit(lane("db"));
    bench.place();
    end(first, 1, Outcome.SUCCEEDED);
    assertThat(bench.state(bench.submit(lane("db")))).isEqualTo(JobState.WAITING);
  }

  @Test
  void aJobThatIsReadyByMistakeIsFoundBeforeItsStart() {
    bench.submit(lane("db"));
    long second = bench.submit(lane("db"));
    bench.database.transaction(
        handle -> {
          handle.execute("update job set state = 'WAITING' where id = ?", second);
          return handle.execute(
              "insert into job_ready (job_id, pool, dispatch_rank, ready_at, slots, kind, shape_id,"
                  + " definition) select id, pool, -priority, submitted_at, slots, kind, shape_id,"
                  + " definition from job where id = ?",
              second);
        });
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.state(second)).isEqualTo(JobState.BLOCKED);
    assertThat(bench.place()).isZero();
  }

  private void act(long job, Verb verb) {
    bench.ledger.act(job, new ActionRequest(verb, null, "ann", null));
  }

  private void end(long job, int attempt, Outcome outcome) {
    bench.end(new AttemptId(job, attempt), outcome, outcome.success() ? 0 : 3);
  }

  static JobSpec lane(String lane) {
    return JobDraft.command("/bin/true").lane(lane).spec();
  }
}

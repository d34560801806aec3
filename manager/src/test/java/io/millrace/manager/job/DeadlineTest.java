package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.BookingDao.Booking;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.platform.claim.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadlineTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final JobBench bench = JobBench.withTwoNodes(4);
  private final Deadlines deadlines = bench.ledger.deadlines(bench.claims);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void noJobEndsBeforeItsDeadline() {
    long id = bench.submit(withDeadline().spec());
    assertThat(enforce()).isZero();
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.view(id).deadline()).isNotNull();
  }

  @Test
  void waitingJobsFailWhenTheirDeadlineHasPassed() {
    long running = bench.submit(JobBench.command());
    long waiting = bench.submit(withDeadline().slots(99).spec());
    long held = bench.submit(withDeadline().hold(true).spec());
    long blocked =
        bench.submit(withDeadline().after(List.of(new Dependency(running, null))).spec());
    long behind = bench.submit(JobDraft.command("x").after(any(blocked)).spec());
    bench.place();
    pass();
    assertThat(enforce()).isEqualTo(3);
    for (long id : List.of(waiting, held, blocked)) {
      assertThat(bench.state(id)).isEqualTo(JobState.FAILED);
      assertThat(bench.queries.view(id).reason()).isEqualTo("its deadline passed before it ended");
    }
    assertThat(bench.state(behind)).isEqualTo(JobState.WAITING);
    assertThat(bench.state(running)).isEqualTo(JobState.PLACED);
    assertThat(enforce()).isZero();
  }

  @Test
  void aRunningJobIsStoppedFailsAsTimedOutAndIsNotTriedAgain() {
    long id = bench.submit(withDeadline().retry(RetryPolicy.upTo(3)).spec());
    bench.place();
    AttemptId attempt = new AttemptId(id, 1);
    bench.start(attempt);
    pass();
    assertThat(enforce()).isEqualTo(1);
    assertThat(bench.state(id)).isEqualTo(JobState.RUNNING);
    Booking booking =
        bench.database.read(handle -> bench.attempts.of(handle, bench.nodeOf(attempt)).get(0));
    assertThat(booking.stopRequested()).isTrue();
    bench.end(attempt, Outcome.STOPPED, null);
    assertThat(bench.state(id)).isEqualTo(JobState.FAILED);
    assertThat(bench.queries.view(id).outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(bench.queries.view(id).reason())
        .isEqualTo("stopped at its deadline; not retried: its deadline has passed");
  }

  @Test
  void aCancelledJobIsCancelledEvenAfterItsDeadline() {
    long id = bench.submit(withDeadline().spec());
    bench.place();
    bench.ledger.cancel(id, "cancelled by ann");
    pass();
    enforce();
    bench.end(new AttemptId(id, 1), Outcome.STOPPED, null);
    assertThat(bench.state(id)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void anEndedJobHasNoDeadlineLeftToEnforce() {
    long id = bench.submit(withDeadline().spec());
    bench.place();
    bench.end(new AttemptId(id, 1), Outcome.SUCCEEDED, 0);
    pass();
    assertThat(enforce()).isZero();
  }

  @Test
  void noJobIsEndedWithoutTheClaim() {
    long id = bench.submit(withDeadline().spec());
    pass();
    assertThat(deadlines.run(new Claim("enforce-deadlines", "somebody", 7))).isZero();
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aFailedJobWhoseDeadlineHasPassedIsNotRetried() {
    long id = bench.submit(withDeadline().spec());
    pass();
    enforce();
    assertThatThrownBy(() -> bench.ledger.act(id, new ActionRequest(Verb.RETRY, null, "ann", null)))
        .hasMessageContaining("submit it again with a later one");
  }

  @Test
  void aDeadlineThatHasPassedIsRefusedAtTheSubmission() {
    assertThatThrownBy(() -> bench.submit(JobDraft.command("x").deadline(Instant.EPOCH).spec()))
        .hasMessage("deadline: 1970-01-01T00:00:00Z has passed; give a later one");
  }

  private JobDraft withDeadline() {
    return JobDraft.command("/bin/true").deadline(bench.database.now().plus(HOUR));
  }

  private static List<Dependency> any(long job) {
    return List.of(new Dependency(job, Dependency.End.ANY));
  }

  /** Lets the deadlines pass by moving them, since nobody moves the database's clock. */
  private void pass() {
    bench.database.transaction(
        handle -> {
          Instant past = bench.database.now().minusSeconds(1);
          handle.execute("update job set deadline = ? where deadline is not null", past);
          return handle.execute("update job_deadline set deadline = ?", past);
        });
  }

  private int enforce() {
    Claim claim =
        bench
            .claims
            .acquireOrRenew("enforce-deadlines", "test", Duration.ofMinutes(1))
            .orElseThrow();
    return deadlines.run(claim);
  }
}

package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.platform.claim.Claim;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RetentionTest {
  private final JobBench bench = JobBench.withTwoNodes(50);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void theNewestSuccessfulWorkersOfAQueueAreKeptAndTheTotalsCountAll() {
    List<Long> ids = runWorkers(8, Outcome.SUCCEEDED);
    assertThat(retention(Duration.ofDays(7), 3).run(claim())).isEqualTo(5);
    assertThat(bench.ledger.jobsOf("alert", JobKind.WORKER, 100))
        .extracting(JobView::id)
        .containsExactly(ids.get(7), ids.get(6), ids.get(5));
    assertThat(bench.ledger.workers("alert", "q1").finished()).isEqualTo(8);
  }

  @Test
  void failedWorkersAreKeptUntilTheirTimeIsOver() {
    runWorkers(4, Outcome.FAILED);
    assertThat(retention(Duration.ofDays(7), 0).run(claim())).isZero();
    assertThat(retention(Duration.ZERO, 0).run(claim())).isEqualTo(4);
    assertThat(bench.ledger.jobsOf("alert", JobKind.WORKER, 100)).isEmpty();
  }

  @Test
  void whatHasNotEndedIsNeverDeleted() {
    long waiting = bench.submit(JobBench.command());
    assertThat(retention(Duration.ZERO, 0).run(claim())).isZero();
    assertThat(bench.state(waiting)).isEqualTo(JobState.WAITING);
  }

  @Test
  void withoutTheClaimNothingIsDeleted() {
    runWorkers(2, Outcome.SUCCEEDED);
    Claim stale = claim();
    bench.claims.release(stale.resource(), stale.claimant());
    assertThat(retention(Duration.ZERO, 0).run(stale)).isZero();
  }

  private List<Long> runWorkers(int count, Outcome outcome) {
    JobSpec[] specs =
        Collections.nCopies(count, JobBench.worker("alert", "q1")).toArray(JobSpec[]::new);
    List<Long> ids = bench.submit(JobKind.WORKER, specs);
    bench.place();
    ids.forEach(id -> bench.end(new AttemptId(id, 1), outcome, 0));
    return ids;
  }

  private Retention retention(Duration keep, int keptWorkers) {
    return new Retention(bench.database, bench.claims, keep, keptWorkers);
  }

  private Claim claim() {
    return bench
        .claims
        .acquireOrRenew("delete-old-jobs", "test", Duration.ofMinutes(1))
        .orElseThrow();
  }
}

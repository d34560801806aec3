package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.platform.claim.Claim;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.DelegatingTransactionHandler;
import org.jdbi.v3.core.transaction.LocalTransactionHandler;
import org.jdbi.v3.core.transaction.TransactionException;
import org.jdbi.v3.core.transaction.TransactionHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobRetentionTest {
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
  void failedWorkersAreKeptUntilTheirRetentionEnds() {
    runWorkers(4, Outcome.FAILED);
    assertThat(retention(Duration.ofDays(7), 0).run(claim())).isZero();
    assertThat(retention(Duration.ZERO, 0).run(claim())).isEqualTo(4);
    assertThat(bench.ledger.jobsOf("alert", JobKind.WORKER, 100)).isEmpty();
  }

  @Test
  void theTotalOfAQueueIsDeletedWithItsLastJobAndComesBackWithTheNext() {
    runWorkers(3, Outcome.SUCCEEDED);
    addUp();
    assertThat(count("job_total where queue = 'alert'")).isEqualTo(1);

    assertThat(retention(Duration.ZERO, 0).run(claim())).isEqualTo(3);
    addUp();
    assertThat(count("job_total where queue = 'alert'")).isZero();

    runWorkers(1, Outcome.SUCCEEDED);
    addUp();
    assertThat(count("job_total where queue = 'alert' and jobs = 1")).isEqualTo(1);
  }

  @Test
  void unfinishedJobsAreNeverDeleted() {
    long waiting = bench.submit(JobBench.command());
    assertThat(retention(Duration.ZERO, 0).run(claim())).isZero();
    assertThat(bench.state(waiting)).isEqualTo(JobState.WAITING);
  }

  @Test
  void deletionsInARepeatedTransactionAreCountedOnce() {
    runWorkers(8, Outcome.SUCCEEDED);
    Claim claim = claim();
    refuseNextCommit();
    assertThat(retention(Duration.ofDays(7), 3).run(claim)).isEqualTo(5);
    assertThat(bench.ledger.jobsOf("alert", JobKind.WORKER, 100)).hasSize(3);

    refuseNextCommit();
    assertThat(retention(Duration.ZERO, 3).run(claim)).isEqualTo(3);
    assertThat(bench.ledger.jobsOf("alert", JobKind.WORKER, 100)).isEmpty();
  }

  @Test
  void withoutTheClaimNothingIsDeleted() {
    runWorkers(2, Outcome.SUCCEEDED);
    Claim stale = claim();
    bench.claims.release(stale.resource(), stale.claimant());
    assertThat(retention(Duration.ZERO, 0).run(stale)).isZero();
  }

  @Test
  void oldAttemptsAndHistoryOfAnAlwaysRestartedJobAreDeleted() {
    long service = bench.submit(JobDraft.command("/bin/true").restart(true).spec());
    for (int attempt = 1; attempt <= 3; attempt++) {
      bench.place();
      bench.start(new AttemptId(service, attempt));
      bench.end(new AttemptId(service, attempt), Outcome.FAILED, 1);
      skipPause();
    }
    bench.place();
    bench.start(new AttemptId(service, 4));
    age("attempt", "ended_at");
    age("job_event", "happened_at");
    assertThat(retention(Duration.ofDays(7), 1000).run(claim())).isZero();
    assertThat(bench.queries.view(service).state()).isEqualTo(JobState.RUNNING);
    assertThat(count("attempt")).isEqualTo(1);
    assertThat(count("job_event")).isZero();
  }

  @Test
  void anEndedJobIsNotScannedAgain() {
    long service = bench.submit(JobDraft.command("/bin/true").restart(true).spec());
    bench.place();
    assertThat(count("job_restarting")).isEqualTo(1);
    bench.start(new AttemptId(service, 1));
    bench.ledger.act(service, new ActionRequest(Verb.CANCEL, null, "ann", null));
    bench.end(new AttemptId(service, 1), Outcome.STOPPED, null);
    retention(Duration.ofDays(7), 1000).run(claim());
    assertThat(count("job_restarting")).isZero();
  }

  @Test
  void aLaneIsDeletedWithItsLastJob() {
    long job = bench.submit(JobDraft.command("/bin/true").lane("tape").spec());
    bench.place();
    bench.end(new AttemptId(job, 1), Outcome.SUCCEEDED, 0);
    long next = bench.submit(JobDraft.command("/bin/true").lane("tape").spec());
    assertThat(retention(Duration.ZERO, 1000).run(claim())).isEqualTo(1);
    assertThat(count("lane")).isEqualTo(1);
    bench.place();
    bench.end(new AttemptId(next, 1), Outcome.SUCCEEDED, 0);
    retention(Duration.ZERO, 1000).run(claim());
    assertThat(count("lane")).isZero();
  }

  @Test
  void aFailedDeletionDoesNotPreventOthers() {
    runWorkers(2, Outcome.FAILED);
    bench.database.transaction(handle -> handle.execute("drop table job_restarting"));
    bench.database.transaction(
        handle ->
            handle.execute(
                "insert into idempotency_key values ('ann', 'key', 'print', 1, timestamp"
                    + " '2020-01-01 00:00:00')"));
    Claim claim = claim();
    assertThatThrownBy(() -> retention(Duration.ZERO, 1000).run(claim))
        .hasMessageContaining("JOB_RESTARTING");
    assertThat(count("idempotency_key")).isZero();
    assertThat(bench.ledger.jobsOf("alert", JobKind.WORKER, 100)).isEmpty();
  }

  /** As of a transaction that the database rolled back for another one. */
  private void refuseNextCommit() {
    Jdbi jdbi = bench.database.read(Handle::getJdbi);
    jdbi.setTransactionHandler(new RefusedCommit(new LocalTransactionHandler()));
  }

  private static final class RefusedCommit extends DelegatingTransactionHandler {
    private boolean refused;

    RefusedCommit(TransactionHandler delegate) {
      super(delegate);
    }

    @Override
    public void commit(Handle handle) {
      if (!refused) {
        refused = true;
        throw new TransactionException(
            new SQLTransactionRollbackException("refused", "40001", 40001));
      }
      super.commit(handle);
    }

    @Override
    public TransactionHandler specialize(Handle handle) {
      return this;
    }
  }

  private void skipPause() {
    bench.database.transaction(
        handle ->
            handle.execute("update job_ready set ready_at = timestamp '2020-01-01 00:00:00'"));
  }

  private void age(String table, String column) {
    bench.database.transaction(
        handle ->
            handle.execute(
                "update "
                    + table
                    + " set "
                    + column
                    + " = timestamp '2020-01-01 00:00:00' where "
                    + column
                    + " is not null"));
  }

  private long count(String table) {
    return bench.database.read(
        handle -> handle.createQuery("select count(*) from " + table).mapTo(Long.class).one());
  }

  private List<Long> runWorkers(int count, Outcome outcome) {
    JobSpec[] specs =
        Collections.nCopies(count, JobBench.worker("alert", "q1")).toArray(JobSpec[]::new);
    List<Long> ids = bench.submit(JobKind.WORKER, specs);
    bench.place();
    ids.forEach(id -> bench.end(new AttemptId(id, 1), outcome, 0));
    return ids;
  }

  private JobRetention retention(Duration keep, int keptWorkers) {
    return new JobRetention(bench.database, bench.claims, keep, keptWorkers);
  }

  private void addUp() {
    Claim claim =
        bench.claims.acquireOrRenew("add-up-jobs", "test", Duration.ofMinutes(1)).orElseThrow();
    retention(Duration.ZERO, 0).fold(claim);
  }

  private Claim claim() {
    addUp();
    return bench
        .claims
        .acquireOrRenew("delete-old-jobs", "test", Duration.ofMinutes(1))
        .orElseThrow();
  }
}

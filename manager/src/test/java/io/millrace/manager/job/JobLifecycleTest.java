package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.JobView.JobCounts;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.node.AttemptReport;
import io.millrace.manager.job.JobSearch.JobFilter;
import io.millrace.manager.job.WorkerDao.WorkerTally;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobLifecycleTest {
  private final JobBench bench = JobBench.withTwoNodes(4);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aJobWaitsIsPlacedRunsAndSucceedsAndItsHistoryTellsEachChange() {
    long id = bench.submit(JobBench.command());
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.state(id)).isEqualTo(JobState.PLACED);
    AttemptId attempt = new AttemptId(id, 1);
    assertThat(bench.start(attempt)).isEmpty();
    assertThat(bench.state(id)).isEqualTo(JobState.RUNNING);
    assertThat(bench.end(attempt, Outcome.SUCCEEDED, 0)).isEmpty();

    JobDetails details = bench.queries.details(id);
    assertThat(details.job().state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(details.job().exitCode()).isZero();
    assertThat(details.job().owner()).isEqualTo("ann");
    assertThat(details.job().endedAt()).isNotNull();
    assertThat(details.spec()).isEqualTo(JobBench.command());
    assertThat(details.history())
        .extracting(JobEvent::state)
        .containsExactly(JobState.WAITING, JobState.PLACED, JobState.RUNNING, JobState.SUCCEEDED);
    assertThat(details.attempts()).hasSize(1);
    AttemptView only = details.attempts().get(0);
    assertThat(only.outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(only.node()).isEqualTo("e1");
    assertThat(only.recordedAt()).isNotNull();
    assertThat(only.startedAt()).isNotNull();
    assertThat(bench.recorded(JobBench.E1)).isEmpty();
  }

  @Test
  void aReportFromAStaleAttemptIsRefusedAndRecordsNothing() {
    long id = bench.submit(JobBench.command(1, 0, twice()));
    bench.place();
    AttemptId first = new AttemptId(id, 1);
    bench.end(first, Outcome.FAILED, 3);
    bench.place();
    assertThat(bench.end(first, Outcome.SUCCEEDED, 0)).containsExactly(first);
    assertThat(bench.state(id)).isNotEqualTo(JobState.SUCCEEDED);
    assertThat(bench.start(first)).containsExactly(first);
  }

  @Test
  void aReportFromAnotherNodeIsRefused() {
    long id = bench.submit(JobBench.command());
    bench.place();
    AttemptId attempt = new AttemptId(id, 1);
    List<AttemptId> refused =
        bench.reports.take(JobBench.E2, List.of(JobBench.ended(attempt, Outcome.SUCCEEDED, 0, 10)));
    assertThat(refused).containsExactly(attempt);
    assertThat(bench.state(id)).isEqualTo(JobState.PLACED);
  }

  @Test
  void theFirstReportOfAnEndCounts() {
    long id = bench.submit(JobBench.command());
    bench.place();
    AttemptId attempt = new AttemptId(id, 1);
    bench.end(attempt, Outcome.SUCCEEDED, 0);
    assertThat(bench.end(attempt, Outcome.FAILED, 1)).containsExactly(attempt);
    assertThat(bench.state(id)).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void anEndReportedAgainBecauseTheAnswerWasLostIsNotRefused() {
    long id = bench.submit(JobBench.command(1, 0, twice()));
    bench.place();
    AttemptId attempt = new AttemptId(id, 1);
    bench.end(attempt, Outcome.FAILED, 3);
    assertThat(bench.end(attempt, Outcome.FAILED, 3)).isEmpty();
    assertThat(bench.queries.details(id).attempts()).hasSize(1);
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aStartAndItsEndMayComeInOneRequest() {
    long id = bench.submit(JobBench.command());
    bench.place();
    AttemptId attempt = new AttemptId(id, 1);
    List<AttemptId> refused =
        bench.reports.take(
            JobBench.E1,
            List.of(JobBench.started(attempt), JobBench.ended(attempt, Outcome.FAILED, 3, 50)));
    assertThat(refused).isEmpty();
    JobView job = bench.queries.view(id);
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(job.exitCode()).isEqualTo(3);
    assertThat(job.reason()).isEqualTo("exit code 3");
    assertThat(bench.queries.details(id).attempts().get(0).stderrTail()).isEqualTo("last words");
  }

  @Test
  void anAttemptWhoseStartWasReportedLateDoesNotEndBeforeIt() {
    long id = bench.submit(JobBench.command());
    bench.place();
    AttemptId attempt = new AttemptId(id, 1);
    bench.start(attempt);
    AttemptResult result = JobBench.ended(attempt, Outcome.SUCCEEDED, 0, 50).result();
    bench.reports.take(
        bench.nodeOf(attempt), List.of(AttemptReport.ended(attempt, result, 60_000, 59_000)));

    JobView job = bench.queries.view(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(job.endedAt()).isAfterOrEqualTo(job.startedAt());
  }

  @Test
  void aFailedJobWithRetriesWaitsForItsBackoffAndFailsAfterTheLast() {
    RetryPolicy atOnce = RetryPolicy.upTo(1, Duration.ZERO, Duration.ZERO);
    long id = bench.submit(JobBench.command(1, 0, atOnce));
    bench.place();
    bench.end(new AttemptId(id, 1), Outcome.FAILED, 3);
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
    assertThat(bench.place()).isEqualTo(1);
    bench.end(new AttemptId(id, 2), Outcome.FAILED, 3);
    assertThat(bench.state(id)).isEqualTo(JobState.FAILED);
    assertThat(bench.queries.details(id).attempts()).hasSize(2);
  }

  @Test
  void aFailedJobIsTriedAgainOnAnotherNode() {
    RetryPolicy atOnce = RetryPolicy.upTo(1, Duration.ZERO, Duration.ZERO);
    for (int round = 0; round < 4; round++) {
      long id = bench.submit(JobBench.command(1, 0, atOnce));
      bench.place();
      bench.end(new AttemptId(id, 1), Outcome.FAILED, 3);
      bench.place();
      assertThat(bench.nodeOf(new AttemptId(id, 2)))
          .isNotEqualTo(bench.nodeOf(new AttemptId(id, 1)));
      bench.end(new AttemptId(id, 2), Outcome.SUCCEEDED, 0);
    }
  }

  @Test
  void aJobIsNotPlacedBeforeItsBackOffIsOver() {
    long id = bench.submit(JobBench.command(1, 0, twice()));
    bench.place();
    bench.end(new AttemptId(id, 1), Outcome.FAILED, 3);
    assertThat(bench.place()).isZero();
    JobView job = bench.queries.view(id);
    assertThat(job.state()).isEqualTo(JobState.WAITING);
    assertThat(job.notBefore()).isAfter(job.submittedAt());
    assertThat(job.endedAt()).isNull();
  }

  @Test
  void aWaitingJobIsCancelledAtOnce() {
    long id = bench.submit(JobBench.command());
    assertThat(bench.ledger.cancel(id, "cancelled by ann").state()).isEqualTo(JobState.CANCELLED);
    assertThat(bench.place()).isZero();
    assertThat(bench.ledger.cancel(id, "again").reason()).isEqualTo("cancelled by ann");
  }

  @Test
  void aRunningJobIsCancelledWhenItsNodeHasStoppedIt() {
    long id = bench.submit(JobBench.command(1, 0, twice()));
    bench.place();
    AttemptId attempt = new AttemptId(id, 1);
    bench.start(attempt);
    assertThat(bench.ledger.cancel(id, "cancelled by ann").state()).isEqualTo(JobState.RUNNING);
    bench.end(attempt, Outcome.STOPPED, null);
    JobView job = bench.queries.view(id);
    assertThat(job.state()).isEqualTo(JobState.CANCELLED);
    assertThat(job.reason()).isEqualTo("cancelled by ann");
  }

  @Test
  void aCancelledJobCanBeRetriedAndASuccessfulOneCannot() {
    long id = bench.submit(JobBench.command());
    bench.ledger.cancel(id, "cancelled by ann");
    assertThat(bench.ledger.retry(id, "bob").state()).isEqualTo(JobState.WAITING);
    assertThat(bench.place()).isEqualTo(1);
    bench.end(new AttemptId(id, 1), Outcome.SUCCEEDED, 0);
    assertThatThrownBy(() -> bench.ledger.retry(id, "bob"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("only failed or cancelled");
  }

  @Test
  void onlyOneJobOfASingleInstanceNameIsLiveAtATime() {
    JobSpec manager = JobBench.manager(new SegmentKey("alert", "q1"));
    long first = bench.submit(JobKind.MANAGER, manager).get(0);
    assertThatThrownBy(() -> bench.submit(JobKind.MANAGER, manager))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("single 'pace:alert@q1' is held by job " + first);
    assertThat(bench.ledger.liveSingle("pace:alert@q1")).map(JobView::id).contains(first);
    bench.ledger.cancel(first, "not needed");
    assertThat(bench.submit(JobKind.MANAGER, manager)).hasSize(1);
  }

  @Test
  void aManagerIsAlwaysStartedAgainUntilItIsCancelled() {
    long id = bench.submit(JobKind.MANAGER, JobBench.manager(new SegmentKey("alert", "q1"))).get(0);
    bench.place();
    bench.end(new AttemptId(id, 1), Outcome.SUCCEEDED, 0);
    JobView waiting = bench.queries.view(id);
    assertThat(waiting.state()).isEqualTo(JobState.WAITING);
    assertThat(waiting.reason()).isEqualTo("succeeded; restarts after 1s");
    assertThat(bench.ledger.liveManagers()).extracting(JobView::id).containsExactly(id);
    assertThat(bench.ledger.jobsOf("alert", JobKind.MANAGER, 10))
        .extracting(JobView::id)
        .containsExactly(id);
    bench.ledger.cancel(id, "not needed");
    assertThat(bench.ledger.liveManagers()).isEmpty();
  }

  @Test
  void theFenceOpensOnlyForTheCurrentAttemptThatHasNotEnded() {
    long id = bench.submit(JobBench.command(1, 0, RetryPolicy.upTo(3, Duration.ZERO, null)));
    assertThat(fence(id, 1)).isFalse();
    bench.place();
    assertThat(fence(id, 1)).isTrue();
    bench.end(new AttemptId(id, 1), Outcome.FAILED, 1);
    assertThat(fence(id, 1)).isFalse();
    bench.place();
    assertThat(fence(id, 1)).isFalse();
    assertThat(fence(id, 2)).isTrue();
  }

  private boolean fence(long id, int attempt) {
    return bench.database.transaction(
        handle -> bench.ledger.lockCurrent(handle, new AttemptId(id, attempt)));
  }

  @Test
  void theWaitForASlotIsNotPartOfTheStartLatency() {
    long id = bench.submit(JobKind.WORKER, JobBench.worker("alert", "q1")).get(0);
    bench.database.transaction(
        handle ->
            handle.execute(
                "update job set submitted_at = timestampadd(hour, -1, submitted_at) where id = ?",
                id));
    bench.place();
    bench.start(new AttemptId(id, 1));

    assertThat(bench.ledger.workers("alert", "q1").startLatencySeconds())
        .isNotNegative()
        .isLessThan(3600.0);
  }

  @Test
  void workersAreCountedBySegmentAndAFailedOneIsNotTriedAgain() {
    JobSpec worker = JobBench.worker("alert", "q1");
    List<Long> ids = bench.submit(JobKind.WORKER, worker, worker, worker);
    assertThat(bench.ledger.workers("alert", "q1").starting()).isEqualTo(3);
    assertThat(
            bench.database.<Map<String, Integer>, RuntimeException>read(
                handle -> bench.ledger.outstandingWorkers(handle, "alert")))
        .isEqualTo(Map.of("q1", 3));
    bench.place();
    ids.forEach(id -> bench.start(new AttemptId(id, 1)));
    assertThat(bench.ledger.workers("alert", "q1").running()).isEqualTo(3);
    bench.end(new AttemptId(ids.get(0), 1), Outcome.SUCCEEDED, 0);
    bench.end(new AttemptId(ids.get(1), 1), Outcome.FAILED, 7);

    WorkerTally tally = bench.ledger.workers("alert", "q1");
    assertThat(tally.starting()).isZero();
    assertThat(tally.running()).isEqualTo(1);
    assertThat(tally.started()).isEqualTo(3);
    assertThat(tally.finished()).isEqualTo(2);
    assertThat(tally.failed()).isEqualTo(1);
    assertThat(tally.runSeconds()).isEqualTo(1.0);
    assertThat(bench.state(ids.get(1))).isEqualTo(JobState.FAILED);
    assertThat(bench.ledger.lastFailure("alert"))
        .hasValueSatisfying(
            run -> {
              assertThat(run.attempt()).isEqualTo(new AttemptId(ids.get(1), 1));
              assertThat(run.exitCode()).isEqualTo(7);
              assertThat(run.stderrTail()).isEqualTo("last words");
            });
  }

  @Test
  void listsShowSubmittedJobsNewestFirstPageByPage() {
    long first = bench.submit(JobBench.command());
    long second = bench.submit(JobBench.command());
    long third = bench.submit(JobBench.command());
    bench.submit(JobKind.WORKER, JobBench.worker("alert", "q1"));
    JobFilter two = new JobFilter(JobKind.SUBMITTED, Set.of(), null, null, null, 2);
    var page = bench.queries.list(two);
    assertThat(page.jobs()).extracting(JobView::id).containsExactly(third, second);
    var rest =
        bench.queries.list(new JobFilter(JobKind.SUBMITTED, Set.of(), null, null, page.next(), 2));
    assertThat(rest.jobs()).extracting(JobView::id).containsExactly(first);
    assertThat(rest.next()).isNull();
    assertThat(bench.totals().submitted()).isEqualTo(new JobCounts(3, 0, 0, 0, 0));
    assertThat(bench.totals().all()).isEqualTo(new JobCounts(4, 0, 0, 0, 0));
  }

  @Test
  void listsFilterByStateQueueAndName() {
    long id = bench.submit(JobBench.command());
    bench.ledger.cancel(id, "no");
    bench.submit(JobBench.command());
    long worker = bench.submit(JobKind.WORKER, JobBench.worker("alert", "q1")).get(0);
    assertThat(
            bench
                .queries
                .list(new JobFilter(null, Set.of(JobState.CANCELLED), null, null, null, 10))
                .jobs())
        .extracting(JobView::id)
        .containsExactly(id);
    assertThat(
            bench
                .queries
                .list(
                    new JobFilter(
                        JobKind.WORKER, Set.of(JobState.WAITING), "alert", "worker", null, 10))
                .jobs())
        .extracting(JobView::id)
        .containsExactly(worker);
  }

  @Test
  void aJobLargerThanEveryNodeExplainsItsWait() {
    long id = bench.submit(JobBench.command(9, 0, null));
    assertThat(bench.place()).isZero();
    assertThat(bench.queries.view(id).reason())
        .isEqualTo("needs 9 slots; the largest matching node has 4");
  }

  @Test
  void aSubmissionThatBreaksARuleNamesTheFieldAndTheFix() {
    JobSpec relative = JobDraft.command("/bin/true").cwd("work").spec();
    assertThatThrownBy(() -> bench.submit(relative))
        .isInstanceOf(MillraceException.class)
        .hasMessage("cwd: 'work' is relative; give the absolute path");
    assertThatThrownBy(() -> bench.submit(JobBench.worker("alert", "q1")))
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith("input: only queue managers submit workers");
  }

  private static RetryPolicy twice() {
    return RetryPolicy.upTo(2, Duration.ofHours(1), Duration.ofHours(2));
  }
}

package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.Dependency.End;
import io.millrace.api.job.JobAction;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobActions.ActionResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DependencyTest {
  private final JobBench bench = JobBench.withTwoNodes(4);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aJobIsNotPlacedBeforeTheJobThatItWaitsForHasSucceeded() {
    long first = bench.submit(JobBench.command());
    long second = bench.submit(after(End.OK, first));
    assertThat(bench.state(second)).isEqualTo(JobState.BLOCKED);
    assertThat(bench.queries.view(second).reason()).isEqualTo("waits for 1 job to end");
    assertThat(bench.place()).isEqualTo(1);
    end(first, Outcome.SUCCEEDED);
    assertThat(bench.state(second)).isEqualTo(JobState.WAITING);
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.queries.details(second).history())
        .extracting(JobEvent::words)
        .contains("job " + first + ", which it waited for, succeeded");
  }

  @ParameterizedTest
  @CsvSource({
    "OK, SUCCEEDED, WAITING",
    "OK, FAILED, CANCELLED",
    "ANY, SUCCEEDED, WAITING",
    "ANY, FAILED, WAITING",
    "FAIL, SUCCEEDED, CANCELLED",
    "FAIL, FAILED, WAITING"
  })
  void eachConditionIsMetByItsEndsBeforeAndAfterTheSubmission(
      End wanted, Outcome outcome, JobState expected) {
    long first = bench.submit(JobBench.command());
    long before = bench.submit(after(wanted, first));
    bench.place();
    end(first, outcome);
    long afterwards = bench.submit(after(wanted, first));
    assertThat(bench.state(before)).isEqualTo(expected);
    assertThat(bench.state(afterwards)).isEqualTo(expected);
    if (expected == JobState.CANCELLED) {
      String verb = outcome == Outcome.SUCCEEDED ? "succeeded" : "failed";
      String words = "job " + first + ", which it waits for, " + verb;
      assertThat(bench.queries.view(before).reason()).isEqualTo(words);
      assertThat(bench.queries.view(afterwards).reason()).isEqualTo(words);
    }
  }

  @Test
  void aFailureCancelsTheEntireChainAfterIt() {
    long first = bench.submit(JobBench.command());
    long second = bench.submit(after(End.OK, first));
    long third = bench.submit(after(End.OK, second));
    long whatever = bench.submit(after(End.ANY, third));
    bench.place();
    end(first, Outcome.FAILED);
    assertThat(bench.state(second)).isEqualTo(JobState.CANCELLED);
    assertThat(bench.state(third)).isEqualTo(JobState.CANCELLED);
    assertThat(bench.queries.view(third).reason())
        .isEqualTo("job " + second + ", which it waits for, was cancelled");
    assertThat(bench.state(whatever)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aJobWaitsForAllOfItsConditions() {
    List<Long> firsts = bench.submit(JobKind.SUBMITTED, JobBench.command(), JobBench.command());
    long last = bench.submit(after(End.OK, firsts.get(0), firsts.get(1)));
    bench.place();
    end(firsts.get(1), Outcome.SUCCEEDED);
    assertThat(bench.state(last)).isEqualTo(JobState.BLOCKED);
    assertThat(bench.queries.view(last).reason()).isEqualTo("waits for 1 job to end");
    end(firsts.get(0), Outcome.SUCCEEDED);
    assertThat(bench.state(last)).isEqualTo(JobState.WAITING);
  }

  @Test
  void twoConditionsThatAreMetInOneTransactionCountTwice() {
    List<Long> firsts = bench.submit(JobKind.SUBMITTED, JobBench.command(), JobBench.command());
    long last = bench.submit(after(End.OK, firsts.get(0), firsts.get(1)));
    bench.place();
    bench.reports.take(
        bench.nodeOf(new AttemptId(firsts.get(0), 1)),
        firsts.stream()
            .filter(
                id ->
                    bench
                        .nodeOf(new AttemptId(id, 1))
                        .equals(bench.nodeOf(new AttemptId(firsts.get(0), 1))))
            .map(id -> JobBench.ended(new AttemptId(id, 1), Outcome.SUCCEEDED, 0, 5))
            .toList());
    firsts.stream()
        .filter(id -> !bench.state(id).ended())
        .forEach(id -> end(id, Outcome.SUCCEEDED));
    assertThat(bench.state(last)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aConditionOnAJobThatDoesNotExistIsRefusedByFieldAndId() {
    assertThatThrownBy(() -> bench.submit(after(End.OK, 4711)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageStartingWith("after: job 4711 does not exist");
  }

  @Test
  void aRetryOfThePredecessorKeepsItsDependantsWaiting() {
    long first =
        bench.submit(JobBench.command(1, 0, RetryPolicy.upTo(1, Duration.ZERO, Duration.ZERO)));
    long second = bench.submit(after(End.OK, first));
    bench.place();
    bench.end(new AttemptId(first, 1), Outcome.FAILED, 1);
    assertThat(bench.state(second)).isEqualTo(JobState.BLOCKED);
    bench.place();
    bench.end(new AttemptId(first, 2), Outcome.SUCCEEDED, 0);
    assertThat(bench.state(second)).isEqualTo(JobState.WAITING);
  }

  @Test
  void thousandsOfDependantsAreReleasedWithTheEndTheyWaitFor() {
    long first = bench.submit(JobBench.command());
    List<JobSpec> specs = Collections.nCopies(3000, after(End.OK, first));
    List<Long> ids = bench.submit(JobKind.SUBMITTED, specs.toArray(new JobSpec[0]));
    bench.place();
    end(first, Outcome.SUCCEEDED);
    assertThat(count("select count(*) from job_ready")).isEqualTo(ids.size());
    assertThat(count("select count(*) from job_dependency")).isZero();
    assertThat(count("select count(*) from job where unmet > 0")).isZero();
  }

  @Test
  void cancellingAJobThatWaitsForOthersForgetsItsConditions() {
    long first = bench.submit(JobBench.command());
    long second = bench.submit(after(End.OK, first));
    bench.ledger.cancel(second, "not needed");
    assertThat(count("select count(*) from job_dependency")).isZero();
    bench.place();
    end(first, Outcome.SUCCEEDED);
    assertThat(bench.state(second)).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aHeldJobStaysHeldWhenItsConditionsAreMetAndStaysBlockedWhenItIsReleasedBefore() {
    long first = bench.submit(JobBench.command());
    long held = bench.submit(after(End.OK, first).draft().hold(true).spec());
    long released = bench.submit(after(End.OK, first).draft().hold(true).spec());
    bench.ledger.act(released, new ActionRequest(Verb.RELEASE, null, "ann", null));
    assertThat(bench.state(released)).isEqualTo(JobState.BLOCKED);
    bench.place();
    end(first, Outcome.SUCCEEDED);
    assertThat(bench.state(held)).isEqualTo(JobState.HELD);
    assertThat(bench.state(released)).isEqualTo(JobState.WAITING);
    bench.ledger.act(held, new ActionRequest(Verb.RELEASE, null, "ann", null));
    assertThat(bench.state(held)).isEqualTo(JobState.WAITING);
  }

  @Test
  void aRetryWithDependentsRunsAllAgainThatWereCancelledBecauseOfTheJob() {
    long first = bench.submit(JobBench.command());
    long second = bench.submit(after(End.OK, first));
    long third = bench.submit(after(End.OK, second));
    long whatever = bench.submit(after(End.ANY, first));
    long cancelled = bench.submit(after(End.OK, first));
    bench.ledger.cancel(cancelled, "not wanted");
    bench.place();
    end(first, Outcome.FAILED);
    long late = bench.submit(after(End.OK, second));
    assertThat(List.of(second, third, late))
        .allSatisfy(id -> assertThat(bench.state(id)).isEqualTo(JobState.CANCELLED));

    BulkActions actions = new BulkActions(bench.database, bench.ledger.actions());
    JobAction action = new JobAction(Verb.RETRY, List.of(first), null, null, "fixed", false, true);
    assertThat(actions.apply(action, "ann").changed()).isEqualTo(4);

    assertThat(bench.state(first)).isEqualTo(JobState.WAITING);
    assertThat(List.of(second, third, late))
        .allSatisfy(id -> assertThat(bench.state(id)).isEqualTo(JobState.BLOCKED));
    assertThat(bench.state(whatever)).isEqualTo(JobState.WAITING);
    assertThat(bench.state(cancelled)).isEqualTo(JobState.CANCELLED);
    bench.place();
    bench.end(new AttemptId(first, 2), Outcome.SUCCEEDED, 0);
    assertThat(bench.state(second)).isEqualTo(JobState.WAITING);

    // What was retried is no longer cancelled because of anything.
    assertThat(actions.apply(action, "ann").matched()).isEqualTo(1);
  }

  @Test
  void onlyARetryHasDependents() {
    BulkActions actions = new BulkActions(bench.database, bench.ledger.actions());
    JobAction action = new JobAction(Verb.HOLD, List.of(1L), null, null, null, false, true);
    assertThatThrownBy(() -> actions.apply(action, "ann")).hasMessageContaining("only retry");
  }

  @Test
  void aChainIsRetriedFromItsFirstJobAndLaterJobsNameIt() {
    long first = bench.submit(JobBench.command());
    long second = bench.submit(after(End.OK, first));
    bench.place();
    end(first, Outcome.FAILED);
    assertThatThrownBy(() -> bench.ledger.retry(second, "ann"))
        .hasMessage(
            "job "
                + second
                + " cannot run: job "
                + first
                + ", which it waits for, failed; retry that job first");
    ActionResult both =
        bench.database.transaction(
            handle ->
                bench
                    .ledger
                    .actions()
                    .apply(
                        handle,
                        List.of(first, second),
                        new ActionRequest(Verb.RETRY, null, "ann", "fixed")));
    assertThat(both.changed()).containsExactly(first, second);
    assertThat(bench.state(first)).isEqualTo(JobState.WAITING);
    assertThat(bench.state(second)).isEqualTo(JobState.BLOCKED);
    bench.place();
    bench.end(new AttemptId(first, 2), Outcome.SUCCEEDED, 0);
    assertThat(bench.state(second)).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.details(first).attempts().get(1).cause())
        .isEqualTo("retried by ann: fixed");
  }

  private void end(long job, Outcome outcome) {
    bench.end(new AttemptId(job, 1), outcome, outcome.success() ? 0 : 3);
  }

  private long count(String query) {
    return bench.database.read(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }

  private static JobSpec after(End end, long... jobs) {
    List<Dependency> conditions = new ArrayList<>();
    for (long job : jobs) {
      conditions.add(new Dependency(job, end));
    }
    return JobDraft.command("/bin/true").after(conditions).spec();
  }
}

package io.millrace.manager.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobAction.Verb;
import io.millrace.api.job.JobDetails.JobEvent;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.api.job.Outcome;
import io.millrace.manager.job.JobActions.ActionRequest;
import io.millrace.manager.job.JobActions.ActionResult;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobActionsTest {
  private final JobBench bench = JobBench.withTwoNodes(1);

  @AfterEach
  void close() {
    bench.close();
  }

  @Test
  void aHeldJobIsNotPlacedUntilItIsReleasedAndItsHistoryNamesWhoAndWhy() {
    long id = bench.submit(JobBench.command());
    JobView held = act(id, Verb.HOLD, "disk is full");
    assertThat(held.state()).isEqualTo(JobState.HELD);
    assertThat(held.reason()).isEqualTo("held by ann: disk is full");
    assertThat(bench.place()).isZero();
    assertThat(act(id, Verb.RELEASE, null).state()).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.view(id).reason()).isNull();
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.queries.details(id).history())
        .extracting(JobEvent::words)
        .startsWith("submitted by ann", "held by ann: disk is full", "released by ann");
  }

  @Test
  void aJobMayBeSubmittedOnHold() {
    long id = bench.submit(JobBench.command().draft().hold(true).spec());
    assertThat(bench.state(id)).isEqualTo(JobState.HELD);
    assertThat(bench.queries.view(id).reason()).isEqualTo("submitted on hold");
    assertThat(bench.place()).isZero();
    act(id, Verb.RELEASE, null);
    assertThat(bench.place()).isEqualTo(1);
  }

  @Test
  void actionsThatDoNotFitTheStateAreRefusedWithTheReason() {
    long id = bench.submit(JobBench.command());
    assertRefused(id, Verb.RELEASE, "is waiting; only held jobs can be released");
    assertRefused(id, Verb.RETRY, "is waiting; only failed or cancelled jobs can be retried");
    act(id, Verb.HOLD, null);
    assertRefused(id, Verb.HOLD, "is already held");
    act(id, Verb.RELEASE, null);
    bench.place();
    assertRefused(id, Verb.HOLD, "is placed; only waiting jobs can be held");
    bench.end(new AttemptId(id, 1), Outcome.SUCCEEDED, 0);
    assertRefused(id, Verb.RETRY, "has succeeded; only failed or cancelled jobs can be retried");
    long worker = bench.submit(JobKind.WORKER, JobBench.worker("alert", "q1")).get(0);
    assertRefused(worker, Verb.HOLD, "works for a queue; pause the queue instead");
  }

  @Test
  void anUnknownJobIsReported() {
    assertThatThrownBy(() -> act(4711, Verb.HOLD, null))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_JOB));
  }

  @Test
  void aRaisedPriorityAppliesImmediately() {
    List<Long> ids =
        bench.submit(JobKind.SUBMITTED, JobBench.command(), JobBench.command(), JobBench.command());
    JobView changed =
        bench.ledger.act(ids.get(2), new ActionRequest(Verb.PRIORITY, 10, "ann", "urgent"));
    assertThat(changed.priority()).isEqualTo(10);
    assertThat(bench.place()).isEqualTo(2);
    assertThat(bench.state(ids.get(2))).isEqualTo(JobState.PLACED);
    assertThat(bench.state(ids.get(1))).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.details(ids.get(2)).history())
        .extracting(JobEvent::words)
        .contains("priority set to 10 by ann: urgent");
  }

  @Test
  void aPriorityOutOfRangeOrMissingNamesTheField() {
    long id = bench.submit(JobBench.command());
    assertThatThrownBy(
            () -> bench.ledger.act(id, new ActionRequest(Verb.PRIORITY, 2_000_000, "ann", null)))
        .hasMessageStartingWith("priority: use a number from");
    assertThatThrownBy(() -> act(id, Verb.PRIORITY, null))
        .hasMessageStartingWith("priority: missing");
  }

  @Test
  void aBulkActionChangesTheMatchingJobsAndExplainsTheOthers() {
    List<Long> ids =
        bench.submit(
            JobKind.SUBMITTED,
            JobBench.command(),
            JobBench.command(),
            JobBench.command(),
            JobBench.command());
    bench.place();
    act(ids.get(3), Verb.CANCEL, null);
    List<Long> all = List.of(ids.get(0), ids.get(1), ids.get(2), ids.get(3), 4711L);
    ActionResult result =
        bench.database.transaction(
            handle ->
                bench
                    .ledger
                    .actions()
                    .apply(handle, all, new ActionRequest(Verb.CANCEL, null, "bob", null)));
    assertThat(result.changed()).containsExactlyInAnyOrderElementsOf(ids.subList(0, 3));
    assertThat(result.refused().keySet()).containsExactlyInAnyOrder(ids.get(3), 4711L);
    assertThat(bench.state(ids.get(2))).isEqualTo(JobState.CANCELLED);
    assertThat(bench.state(ids.get(0))).isEqualTo(JobState.PLACED);
    bench.end(new AttemptId(ids.get(0), 1), Outcome.STOPPED, null);
    assertThat(bench.queries.view(ids.get(0)).reason()).isEqualTo("cancelled by bob");
  }

  @Test
  void aJobWaitsForItsTimeAndShowsIt() {
    Instant later = bench.database.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
    long id = bench.submit(JobDraft.command("/bin/true").notBefore(later).spec());
    assertThat(bench.state(id)).isEqualTo(JobState.WAITING);
    assertThat(bench.queries.view(id).notBefore()).isEqualTo(later);
    assertThat(bench.place()).isZero();
    long past = bench.submit(JobDraft.command("/bin/true").notBefore(Instant.EPOCH).spec());
    assertThat(bench.place()).isEqualTo(1);
    assertThat(bench.state(past)).isEqualTo(JobState.PLACED);
  }

  @Test
  void holdAndReleaseDoNotMakeAJobDueEarlier() {
    Instant later = bench.database.now().plus(Duration.ofHours(1));
    long id = bench.submit(JobDraft.command("/bin/true").notBefore(later).spec());
    act(id, Verb.HOLD, null);
    act(id, Verb.RELEASE, null);
    assertThat(bench.place()).isZero();
  }

  private void assertRefused(long id, Verb verb, String words) {
    assertThatThrownBy(() -> act(id, verb, null))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessage("job " + id + " " + words);
  }

  private JobView act(long id, Verb verb, String reason) {
    return bench.ledger.act(id, new ActionRequest(verb, null, "ann", reason));
  }
}

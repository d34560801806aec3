package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.WorkflowBench.StepRun;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the end of a run submits, and the time that a run may take (J-15, J-17). */
final class WorkflowEndTest {
  private static final Duration TIMEOUT = Duration.ofHours(3);

  private final WorkflowBench bench = new WorkflowBench(16);

  @AfterEach
  void close() {
    bench.close();
  }

  // Steps 0 to 2.
  private long submit() {
    JobSpec publish = JobDraft.command("/bin/publish").name("publish").spec();
    JobSpec repair = JobDraft.command("/bin/repair").name("repair").spec();
    ValueList each = new ValueList(null, new ArrayRange(0, 2, 1, 0));
    return bench.submit(
        new WorkflowSpec(
            "nightly",
            null,
            Map.of("a", template(command("/bin/a", "{i}"), Map.of("i", each))),
            null,
            false,
            TIMEOUT,
            0,
            repair,
            publish,
            null));
  }

  private static Outcome secondFails(StepRun run) {
    return run.step() == 1 ? Outcome.FAILED : Outcome.SUCCEEDED;
  }

  // What an end has submitted runs on.
  private static Outcome stopped(StepRun run) {
    return run.step() < 0 ? Outcome.SUCCEEDED : Outcome.STOPPED;
  }

  /** The jobs that ends submitted, with what they are told of the run. */
  private List<String> followers() {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery("select spec from job where name in ('publish', 'repair') order by id")
                .mapTo(String.class)
                .map(text -> Json.read(text, JobSpec.class))
                .map(
                    spec ->
                        "%s after %s of %s"
                            .formatted(
                                spec.name(),
                                spec.env().get("MILLRACE_WORKFLOW_STATE"),
                                spec.env().get("MILLRACE_WORKFLOW")))
                .list());
  }

  @Test
  void aRunThatSucceedsSubmitsItsOnSuccessJobAndNoOther() {
    long id = submit();
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(followers()).containsExactly("publish after SUCCEEDED of " + id);
  }

  @Test
  void aRunThatFailsSubmitsItsOnFailureJobAndNoOther() {
    long id = submit();
    assertThat(bench.run(id, WorkflowEndTest::secondFails).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(followers()).containsExactly("repair after FAILED of " + id);
  }

  @Test
  void aRunThatIsCancelledSubmitsNeither() {
    long id = submit();
    bench.round(run -> null);
    bench.control.cancel(id, "ann");
    WorkflowView end = bench.run(id, WorkflowEndTest::stopped);
    assertThat(end.state()).isEqualTo(WorkflowState.CANCELLED);
    assertThat(followers()).isEmpty();
  }

  @Test
  void anEndThatIsReportedAgainAfterTheRunHasEndedSubmitsNothingAgain() {
    long id = submit();
    bench.run(id);
    for (boolean manager : List.of(true, false)) {
      bench.jobs.database.transaction(
          handle -> {
            ReleaseDao releases = new ReleaseDao();
            StepArray array = releases.withTemplates(handle, id).get(0);
            releases.insertEnds(
                handle, array, JobState.FAILED, StepNumbers.pack(new int[] {0, 1, 2}, 3));
            return null;
          });
      assertThat(bench.piece(id, manager)).as("the repetition is looked at").isTrue();
      assertThat(bench.piece(id, manager)).isFalse();
    }
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(followers()).containsExactly("publish after SUCCEEDED of " + id);
  }

  @Test
  void everyEndOfAResumedRunSubmitsItsOwnJob() {
    long id = submit();
    bench.run(id, WorkflowEndTest::secondFails);
    bench.resets.retry(id, null, false, "ann");
    bench.run(id, WorkflowEndTest::secondFails);
    bench.resets.retry(id, null, false, "ann");
    bench.run(id);
    assertThat(followers())
        .containsExactly(
            "repair after FAILED of " + id,
            "repair after FAILED of " + id,
            "publish after SUCCEEDED of " + id);
  }

  private WorkflowRow row(long id) {
    return bench.jobs.database.<WorkflowRow, RuntimeException>read(
        handle -> new WorkflowDao().find(handle, id).orElseThrow());
  }

  private void expire(long id) {
    Instant past = bench.jobs.database.now().minusSeconds(1);
    bench.jobs.database.transaction(
        handle -> handle.execute("update workflow set ends_at = ? where id = ?", past, id));
  }

  private WorkflowView timeOut(long id) {
    expire(id);
    bench.drive();
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.CANCELLING);
    return bench.run(id, WorkflowEndTest::stopped);
  }

  /** The whole timeout counts from a moment after that one. */
  private void requireWholeTimeout(long id, Instant after) {
    Duration precision = Duration.ofMillis(1);
    assertThat(row(id).endsAt())
        .isBetween(
            after.plus(TIMEOUT).minus(precision),
            bench.jobs.database.now().plus(TIMEOUT).plus(precision));
  }

  @Test
  void aRunThatExceedsItsTimeoutIsStoppedAndHasFailed() {
    Instant before = bench.jobs.database.now();
    long id = submit();
    bench.round(run -> null);
    requireWholeTimeout(id, before);
    bench.drive();
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.RUNNING);

    WorkflowView end = timeOut(id);
    assertThat(end.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(end.reason()).startsWith("its timeout has passed; 0 of 3 steps succeeded");
    assertThat(followers()).containsExactly("repair after FAILED of " + id);
  }

  @Test
  void aRunThatIsTriedAgainHasItsWholeTimeoutAgain() {
    long id = submit();
    bench.round(run -> null);
    timeOut(id);
    Instant before = bench.jobs.database.now();
    bench.resets.retry(id, null, false, "ann");
    requireWholeTimeout(id, before);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void aRunOfWhichAStepIsResetHasItsWholeTimeoutAgain() {
    long id = submit();
    bench.run(id);
    expire(id);
    Instant before = bench.jobs.database.now();
    bench.resets.reset(id, new StepReset(List.of("0"), null, false, false), "ann");
    requireWholeTimeout(id, before);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void aColdResumptionGivesTheWholeTimeoutAgain() {
    long id = submit();
    bench.round(run -> null);
    expire(id);
    Instant before = bench.jobs.database.now();
    bench.resets.retry(id, ResumeMode.COLD, false, "ann");
    bench.round(WorkflowEndTest::stopped);
    bench.drive();
    requireWholeTimeout(id, before);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void whatIsDoneToARunThatGoesOnDoesNotProlongIt() {
    long id = submit();
    bench.round(run -> run.step() == 1 ? Outcome.FAILED : null);
    bench.drive();
    Instant endsAt = row(id).endsAt();
    bench.resets.retry(id, ResumeMode.HOT, false, "ann");
    assertThat(row(id).endsAt()).isEqualTo(endsAt);
    bench.drive();
    bench.round(run -> run.step() == 1 ? Outcome.SUCCEEDED : null);
    bench.drive();
    bench.resets.reset(id, new StepReset(List.of("1"), null, false, false), "ann");
    assertThat(row(id).endsAt()).isEqualTo(endsAt);
  }
}

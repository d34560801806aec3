package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.WaitCode;
import io.millrace.api.workflow.StepView.StepDetails;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.manager.dispatch.DenylistService;
import io.millrace.manager.dispatch.PoolReader;
import io.millrace.manager.insight.JobExplanations;
import io.millrace.manager.insight.ProblemService;
import io.millrace.manager.node.ClockSteps;
import io.millrace.manager.node.ExecutionNodeViews;
import io.millrace.manager.placement.PlacementSnapshot.PlacementSettings;
import io.millrace.manager.placement.Requirements;
import io.millrace.manager.placement.Requirements.ExpressionTest;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is said about released steps that may not start, of steps with and without a job. */
class HeldStepsTest {
  private final WorkflowBench bench = new WorkflowBench(2);
  private final DenylistService denylist = new DenylistService(bench.jobs.database);
  private final JobExplanations explanations =
      new JobExplanations(
          bench.jobs.database,
          new PoolReader(
              bench.jobs.shapes,
              ExpressionTest.compiledBy(new Requirements(100)),
              denylist,
              PlacementSettings.defaults()),
          bench.jobs.shapes,
          bench.jobs.claims,
          bench.jobs.stepElements);

  @AfterEach
  void stop() {
    bench.close();
  }

  private long submit(int steps) {
    return bench.submit(
        workflow(
            Map.of(
                "bad",
                template(
                    command("/bin/b", "{x}"),
                    Map.of("x", new ValueList(null, new ArrayRange(0, steps - 1, 1, 0)))))));
  }

  /** A step whose job waits for its turn in its array, or else one that has no job. */
  private StepDetails step(long workflow, boolean withJob) {
    for (int step = 0; step < bench.views.view(workflow).progress().steps(); step++) {
      StepDetails details = bench.steps.details(workflow, step);
      boolean found =
          withJob
              ? details.job() != null && bench.jobs.state(details.job()) == JobState.BLOCKED
              : details.job() == null;
      if (found) {
        return details;
      }
    }
    throw new AssertionError("there is no such step");
  }

  private void assertHeld(long workflow, String... reasons) {
    StepDetails blocked = step(workflow, true);
    assertThat(blocked.reasons()).containsExactly(reasons);
    assertThat(explanations.of(blocked.job()).reasons())
        .extracting(WaitReason::code, WaitReason::words)
        .containsExactlyElementsOf(
            Arrays.stream(reasons).map(words -> Tuple.tuple(WaitCode.ARRAY_TURN, words)).toList());
    assertThat(step(workflow, false).reasons()).containsExactly(reasons);
  }

  @Test
  void limitsOfZeroAreNamedOfEachStepAndOfItsJob() {
    long id = submit(3000);
    bench.round(step -> null);
    bench.control.limit(id, "bad", 0, "ann");
    assertHeld(id, "the limit of 'bad' is 0: no step starts");
    bench.control.limit(id, null, 0, "ann");
    assertHeld(
        id,
        "the limit of 'bad' is 0: no step starts",
        "the limit of its workflow is 0: no step starts");
    bench.control.limit(id, "bad", null, "ann");
    assertHeld(id, "the limit of its workflow is 0: no step starts");
    bench.control.pause(id, true, "ann");
    assertHeld(id, "its workflow is paused; 'millrace workflow resume " + id + "' ends that");
  }

  @Test
  void aTemplateThatIsPausedIsNamedUntilItsStepsAreTriedUnlessTheLimitIsZero() {
    long id = submit(3000);
    AtomicInteger ends = new AtomicInteger();
    bench.run(id, step -> ends.incrementAndGet() < 500 ? Outcome.FAILED : null);
    StepDetails blocked = step(id, true);
    assertThat(blocked.reasons()).singleElement().asString().startsWith("template 'bad' is paused");
    assertHeld(id, blocked.reasons().get(0));

    bench.control.limit(id, "bad", 0, "ann");
    assertHeld(id, blocked.reasons().get(0), "the limit of 'bad' is 0: no step starts");

    bench.control.resumeTemplate(id, "bad", "ann");
    assertHeld(id, "the limit of 'bad' is 0: no step starts");

    bench.control.limit(id, "bad", null, "ann");
    assertThat(step(id, true).reasons())
        .singleElement()
        .asString()
        .contains("template 'bad' was paused", "at most 3 of its steps run");
  }

  @Test
  void theTimeOfAHeldStepIsThatOfItsArrayAndNotOfALane() {
    long id = submit(3000);
    bench.round(step -> null);
    bench.control.pause(id, true, "ann");

    JobExplanation job = explanations.of(step(id, true).job());

    assertThat(job.job().state()).isEqualTo(JobState.BLOCKED);
    assertThat(job.waits()).extracting(WaitSpan::code).last().isEqualTo(WaitCode.ARRAY_TURN);
    assertThat(job.waits()).noneMatch(span -> span.words().contains("lane"));
  }

  @Test
  void aStepWhoseJobWaitsForASlotIsNotSaidToWaitForALimit() {
    long id = submit(3000);
    bench.control.limit(id, "bad", 50, "ann");
    bench.round(step -> null);
    StepDetails waiting = bench.steps.details(id, 40);
    assertThat(bench.jobs.state(waiting.job())).isEqualTo(JobState.WAITING);
    assertThat(waiting.reasons()).isEmpty();
    assertThat(explanations.of(waiting.job()).reasons())
        .noneMatch(reason -> reason.code() == WaitCode.ARRAY_TURN);
    assertThat(step(id, false).reasons())
        .containsExactly("waits for its turn: at most 50 steps of 'bad' run at the same time");
  }

  @Test
  void anArrayOfWhichNoneMayStartIsNotComparedWithNodes() {
    long id = submit(10);
    bench.control.limit(id, "bad", 5, "ann");
    bench.drive();
    long array = bench.jobs.database.read(handle -> new TemplateDao().of(handle, id)).get(0).array;
    assertThat(explanations.of(array).reasons())
        .isNotEmpty()
        .noneMatch(reason -> reason.code() == WaitCode.ARRAY_TURN);
    bench.control.limit(id, "bad", 0, "ann");
    bench.round(step -> null);

    JobExplanation job = explanations.of(array);

    assertThat(job.reasons())
        .containsExactly(
            new WaitReason(WaitCode.ARRAY_TURN, "the limit of 'bad' is 0: no step starts"));
    assertThat(job.nodes()).isEmpty();
  }

  private long infeasible(String owner, JobSpec job) {
    return bench
        .binding
        .begin(
            owner,
            new WorkflowSubmission(
                workflow(Map.of("wide", template(job, Map.of()))), owner, 0, null, true))
        .view()
        .id();
  }

  private List<String> problems() {
    bench.round(step -> null);
    return new ProblemService(
            bench.jobs.database,
            new ExecutionNodeViews(bench.jobs.database, denylist)::list,
            new ClockSteps(bench.jobs.database),
            bench.jobs.claims,
            bench.jobs.stepElements)
        .all().stream()
            .filter(alert -> alert.code().equals("JOB_CANNOT_RUN"))
            .map(Alert::message)
            .toList();
  }

  @Test
  void ofAStepThatNoNodeCanRunTheWorkflowIsToBeSubmittedAgain() {
    long id = infeasible("ann", JobDraft.command("/bin/w").slots(17).spec());
    assertThat(problems())
        .singleElement()
        .asString()
        .endsWith(
            ". Submit workflow %d again with less and --resume hot, or add a larger node to the pool"
                .formatted(id));
  }

  @Test
  void ofAStepWithoutALicenceToo() {
    long id = infeasible("ann", JobDraft.command("/bin/w").licences(Map.of("solver", 2)).spec());
    assertThat(problems())
        .singleElement()
        .asString()
        .endsWith("or submit workflow %d again with less and --resume hot".formatted(id));
  }

  @Test
  void ofAStepOfATaskTheTaskIsToBeDefinedAnew() {
    long id = infeasible("task:nightly", JobDraft.command("/bin/w").slots(17).spec());
    assertThat(problems())
        .singleElement()
        .asString()
        .contains(". Cancel workflow %d and define task nightly with less, or add".formatted(id));
  }
}

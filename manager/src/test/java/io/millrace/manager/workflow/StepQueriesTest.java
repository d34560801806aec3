package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.insight.FailureGroups;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDetails;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.StepNeeds;
import io.millrace.api.workflow.StepNeeds.NeedingStep;
import io.millrace.api.workflow.StepView;
import io.millrace.api.workflow.StepView.StepDetails;
import io.millrace.api.workflow.StepView.StepPage;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.workflow.StepQueries.StepFilter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is shown of steps, with their jobs and why they wait (J-05: monitor, debug). */
final class StepQueriesTest {
  private final WorkflowBench bench = new WorkflowBench(64);

  @AfterEach
  void close() {
    bench.close();
  }

  private long submit() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put(
        "prepare",
        template(
            command("/bin/p", "{i}"),
            Map.of("i", new ValueList(null, new ArrayRange(0, 299, 1, 0)))));
    templates.put("work", listed(command("/bin/w", "{x}"), StepNeed.all("prepare")));
    templates.put("report", template(command("/bin/r"), Map.of(), StepNeed.all("work")));
    return bench.submit(
        workflow(templates),
        "",
        List.of(
            new ListedStep("one", "work", Map.of("x", "a b"), null, null),
            new ListedStep("two", "work", Map.of("x", "c"), List.of(301), null)));
  }

  @Test
  void stepsAreListedByTemplateAndState() {
    long id = submit();
    bench.run(id, run -> run.step() == 7 ? Outcome.FAILED : Outcome.SUCCEEDED);
    assertThat(bench.steps.list(id, new StepFilter("work", null, -1, 10)).steps())
        .containsExactly(
            new StepView(301, "one", "work", WorkflowStepState.WAITING, Map.of("x", "a b"), 0),
            new StepView(302, "two", "work", WorkflowStepState.WAITING, Map.of("x", "c"), 1));
    assertThat(bench.steps.list(id, new StepFilter(null, WorkflowStepState.FAILED, -1, 10)).steps())
        .extracting(StepView::step)
        .containsExactly(7);
    assertThatThrownBy(() -> bench.steps.list(id, new StepFilter("wrok", null, -1, 10)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("wrok");
  }

  @Test
  void pagesFollowOneAnother() {
    long id = submit();
    List<Integer> all = new ArrayList<>();
    Integer after = -1;
    while (after != null) {
      StepPage page = bench.steps.list(id, new StepFilter(null, null, after, 100));
      page.steps().forEach(step -> all.add(step.step()));
      after = page.next();
    }
    assertThat(all).hasSize(303).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aStepThatWaitsSaysForWhat() {
    long id = submit();
    bench.run(id, run -> run.step() == 7 ? Outcome.FAILED : Outcome.SUCCEEDED);
    assertThat(bench.steps.details(id, 302).reasons())
        .containsExactly(
            "its workflow has failed",
            "needs all steps of 'prepare', of which 299 of 300 have succeeded and 1 failed",
            "needs step 301 (one) of 'work', which is waiting");
    assertThat(bench.steps.details(id, 300).reasons())
        .contains("needs all steps of 'work', of which 0 of 2 have succeeded");
  }

  @Test
  void aStepOfAPausedWorkflowSaysSo() {
    long id = submit();
    bench.control.pause(id, true, "ann");
    bench.drive();
    StepDetails step = bench.steps.details(id, 0);
    assertThat(step.step().state()).isEqualTo(WorkflowStepState.RELEASED);
    assertThat(step.reasons())
        .containsExactly("its workflow is paused; 'millrace workflow resume " + id + "' ends that");
  }

  @Test
  void anEndedStepHasItsJobWithWhatItRan() {
    long id = submit();
    bench.run(id, run -> run.step() == 7 ? Outcome.FAILED : Outcome.SUCCEEDED);
    StepDetails failed = bench.steps.details(id, 7);
    assertThat(failed.job()).isNotNull();
    assertThat(failed.attempts()).hasSize(1);
    assertThat(bench.jobs.state(failed.job())).isEqualTo(JobState.FAILED);
    StepDetails succeeded = bench.steps.details(id, 8);
    assertThat(succeeded.reasons()).isEmpty();
    assertThat(bench.jobs.queries.details(succeeded.job()).spec().command())
        .containsExactly("/bin/p", "8");
  }

  @Test
  void jobsOfStepsAreOnlyRetriedByTheirWorkflow() {
    long id = submit();
    bench.run(id, run -> run.step() == 7 ? Outcome.FAILED : Outcome.SUCCEEDED);
    long job = bench.steps.details(id, 7).job();
    assertThatThrownBy(() -> bench.jobs.ledger.retry(job, "ann"))
        .hasMessageContaining("millrace workflow retry " + id);
  }

  @Test
  void aNumberThatNoStepHasIsRefused() {
    long id = submit();
    assertThatThrownBy(() -> bench.steps.details(id, 303)).hasMessageContaining("0 to 302");
  }

  @Test
  void aStepIsFoundByItsNameItsValuesOrItsTemplateIfThatHasNoOther() {
    long id = submit();
    bench.drive();
    assertThat(bench.steps.details(id, "7").step().step()).isEqualTo(7);
    assertThat(bench.steps.details(id, "prepare[12]").step().step()).isEqualTo(12);
    assertThat(bench.steps.details(id, "two").step().step()).isEqualTo(302);
    assertThat(bench.steps.details(id, "report").step().step()).isEqualTo(300);
    assertThatThrownBy(() -> bench.steps.details(id, "prepare"))
        .hasMessageContaining("template 'prepare' has 300 steps");
    assertThatThrownBy(() -> bench.steps.details(id, "prepare[300]"))
        .hasMessageContaining("no step with the value '300'");
    assertThatThrownBy(() -> bench.steps.details(id, "prepare[1,2]"))
        .hasMessageContaining("no step with the value '1,2'");
    assertThatThrownBy(() -> bench.steps.details(id, "three"))
        .hasMessageContaining("has no step 'three'");
  }

  @Test
  void failedStepsAreGroupedUntilTheyAreTriedAgain() {
    long id = submit();
    bench.run(id, run -> run.step() % 100 == 7 ? Outcome.FAILED : Outcome.SUCCEEDED);
    FailureGroups failures = bench.steps.failures(id);
    assertThat(failures.failures()).isEqualTo(3);
    assertThat(failures.groups()).hasSize(1);
    assertThat(failures.groups().get(0).items()).containsExactlyInAnyOrder("7", "107", "207");
    bench.resets.retry(id, null, false, "ann");
    bench.run(id);
    assertThat(bench.steps.failures(id).groups()).isEmpty();
  }

  @Test
  void theNeedsOfFewStepsAreShownAsAGraph() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put(
        "run",
        template(
            command("/bin/s", "{model}", "{seed}"),
            new LinkedHashMap<>(
                Map.of(
                    "model", ValueList.of(List.of("a", "b")),
                    "seed", ValueList.of(List.of("1", "2"))))));
    templates.put(
        "mean",
        template(
            command("/bin/m", "{model}"),
            Map.of("model", ValueList.of(List.of("b", "a"))),
            new StepNeed("run", NeedMatch.ARGUMENT, List.of("model"))));
    templates.put(
        "copy",
        template(
            command("/bin/c", "{model}"),
            Map.of("model", ValueList.of(List.of("b", "a"))),
            new StepNeed("mean", NeedMatch.ELEMENT, null)));
    templates.put("work", listed(command("/bin/w", "{x}"), StepNeed.all("copy")));
    long id =
        bench.submit(
            workflow(templates),
            "",
            List.of(
                new ListedStep("one", "work", Map.of("x", "1"), null, null),
                new ListedStep("two", "work", Map.of("x", "2"), List.of(8), List.of("mean"))));
    assertThatThrownBy(() -> bench.steps.needs(id)).hasMessageContaining("has not been checked");
    bench.run(id);

    StepNeeds needs = bench.steps.needs(id);

    assertThat(needs.steps()).hasSize(10);
    assertThat(needs.steps().get(0).needs()).isEmpty();
    NeedingStep mean = needs.steps().get(4);
    assertThat(mean.step().arguments()).containsEntry("model", "b");
    assertThat(mean.needs())
        .extracting(need -> needs.steps().get(need).step().arguments().get("model"))
        .containsExactly("b", "b");
    assertThat(needs.steps().get(6).needs()).containsExactly(4);
    assertThat(needs.steps().get(8).needs()).isEmpty();
    assertThat(needs.steps().get(8).all()).containsExactly("copy");
    assertThat(needs.steps().get(9).needs()).containsExactly(8);
    assertThat(needs.steps().get(9).all()).containsExactly("mean", "copy");
    assertThat(needs.steps().get(9).step().state()).isEqualTo(WorkflowStepState.SUCCEEDED);
  }

  @Test
  void aStepThatWaitsByAnArgumentNamesTheStepsItWaitsFor() {
    Map<String, ValueList> each = new LinkedHashMap<>();
    each.put("model", ValueList.of(List.of("a", "b")));
    each.put("seed", new ValueList(null, new ArrayRange(1, 40, 1, 0)));
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("run", template(command("/bin/s", "{model}", "{seed}"), each));
    templates.put(
        "mean",
        template(
            command("/bin/m", "{model}"),
            Map.of("model", ValueList.of(List.of("b", "a"))),
            new StepNeed("run", NeedMatch.ARGUMENT, List.of("model"))));
    long id = bench.submit(workflow(templates));
    assertThat(bench.steps.details(id, "mean[b]").reasons())
        .contains("needs the steps of 'run' with the same model, of which 0 of 40 have succeeded");
    // Steps 0 to 39 are of a; 40 to 79 of b, of which two do not end.
    bench.run(
        id,
        step -> step.step() == 50 ? Outcome.FAILED : step.step() == 79 ? null : Outcome.SUCCEEDED);

    StepDetails waits = bench.steps.details(id, "mean[b]");

    assertThat(waits.reasons())
        .containsExactly(
            "needs the steps of 'run' with the same model, of which 38 of 40 have succeeded",
            "needs step 50 of 'run', which has failed");
    assertThat(waits.needs()).hasSize(20).extracting(StepView::step).startsWith(50, 79);
    assertThat(waits.moreNeeds()).isEqualTo(20);
    assertThat(bench.steps.details(id, "mean[a]").step().state())
        .isEqualTo(WorkflowStepState.SUCCEEDED);
  }

  @Test
  void theNeedsOfManyStepsAreNot() {
    long id = submit();
    bench.run(id);
    assertThatThrownBy(() -> bench.steps.needs(id)).hasMessageContaining("only up to 200");
  }

  @Test
  void theJobsOfStepsAndTheirArraysNameTheirWorkflow() {
    long id = submit();
    bench.silent = true;
    bench.run(id, run -> run.step() == 7 ? Outcome.FAILED : Outcome.SUCCEEDED);
    for (int step : List.of(6, 7)) {
      long job = bench.steps.details(id, step).job();
      JobDetails details = bench.jobs.queries.details(job);
      assertThat(details.workflow()).isEqualTo(id);
      assertThat(details.job().index()).isEqualTo(step);
      assertThat(bench.jobs.queries.details(details.job().array()).workflow()).isEqualTo(id);
    }
  }
}

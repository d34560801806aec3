package io.millrace.manager.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.RetryPolicy.FailureKind;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.api.workflow.BreakerRule;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StatusChange;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.manager.workflow.StepQueries.StepFilter;
import io.millrace.manager.workflow.WorkflowBench.StepRun;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Templates that are paused because their steps fail, and notices about workflows. */
class WorkflowWatchTest {
  private WorkflowBench bench;

  @BeforeEach
  void start() {
    bench = new WorkflowBench(4);
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private static StepTemplate steps(int count, BreakerRule breaker) {
    return new StepTemplate(
        WorkflowBench.command("work", "{x}"),
        Map.of(
            "x",
            ValueList.of(IntStream.rangeClosed(1, count).mapToObj(Integer::toString).toList())),
        false,
        List.of(),
        null,
        breaker);
  }

  private static WorkflowSpec notifying(Map<String, StepTemplate> templates, Set<Occasion> on) {
    return new WorkflowSpec(
        "nightly",
        null,
        templates,
        null,
        false,
        null,
        0,
        null,
        null,
        new Notification(
            on,
            null,
            "https://example.org/hook",
            null,
            on.contains(Occasion.HUNG) ? Duration.ofHours(1) : null));
  }

  private static WorkflowSpec notifying(Map<String, StepTemplate> templates) {
    return notifying(
        templates,
        EnumSet.of(
            Occasion.FAILED,
            Occasion.SUCCEEDED,
            Occasion.CANCELLED,
            Occasion.PAUSED,
            Occasion.HUNG));
  }

  private List<String> notices() {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery("select content from subject_notice order by id")
                .mapTo(String.class)
                .list());
  }

  private TemplateView template(long workflow) {
    return bench.views.details(workflow).templates().get(0);
  }

  @Test
  void aTemplateThatFailsEverywhereIsPausedAndNothingMoreIsStarted() {
    long workflow = bench.submit(notifying(Map.of("bad", steps(200, null))));
    WorkflowView paused = bench.run(workflow, step -> Outcome.FAILED);

    assertThat(paused.state()).isEqualTo(WorkflowState.RUNNING);
    assertThat(paused.progress().failed()).isBetween(10, 40);
    assertThat(template(workflow).pause().reason()).contains("steps failed");
    assertThat(template(workflow).pause().trying()).isFalse();
    assertThat(bench.steps.details(workflow, "bad[200]").reasons())
        .anyMatch(reason -> reason.contains("workflow resume " + workflow + " --template bad"));
    assertThat(bench.problems())
        .singleElement()
        .satisfies(
            alert -> {
              assertThat(alert.code()).isEqualTo("TEMPLATE_PAUSED");
              assertThat(alert.subject()).isEqualTo(workflow + "/bad");
            });
    assertThat(notices()).singleElement().asString().contains("PAUSED", "\"failedSteps\"");
  }

  @Test
  void aFewStepsAreTriedAndOneThatSucceedsLetsAllRun() {
    long workflow = bench.submit(notifying(Map.of("bad", steps(100, null))));
    bench.run(workflow, step -> Outcome.FAILED);
    int failed = bench.views.view(workflow).progress().failed();
    assertThat(bench.control.resumeTemplate(workflow, "bad", "ann").outcome())
        .isEqualTo(SubmissionOutcome.RESUMED);
    assertThat(template(workflow).pause().trying()).isTrue();
    assertThat(bench.control.resumeTemplate(workflow, "bad", "bob").outcome())
        .isEqualTo(SubmissionOutcome.UNCHANGED);
    assertThat(bench.views.history(workflow).events())
        .extracting(event -> event.actor() + " " + event.event())
        .containsExactly("ann let some steps of 'bad' be tried");
    bench.mostAtOnce = 0;
    bench.run(workflow, step -> Outcome.FAILED);

    assertThat(bench.views.view(workflow).progress().failed() - failed).isBetween(3, 6);
    assertThat(bench.mostAtOnce).isLessThanOrEqualTo(TemplateBreaker.PROBES);
    assertThat(template(workflow).pause().trying()).isFalse();

    bench.control.limit(workflow, "bad", 50, "ann");
    bench.run(workflow);
    WorkflowView ended = bench.views.view(workflow);
    assertThat(ended.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(ended.progress().succeeded() + ended.progress().failed()).isEqualTo(100);
    assertThat(bench.problems()).isEmpty();
  }

  @Test
  void whatRanBeforeSomeStepsWereTriedDoesNotPauseTheTemplateAgain() {
    long workflow = bench.submit(notifying(Map.of("bad", steps(12, new BreakerRule(2, 1, false)))));
    int begun = pausedWithStepsThatRun(workflow);
    bench.control.resumeTemplate(workflow, "bad", "ann");
    bench.round(step -> step.step() < begun ? Outcome.FAILED : null);
    bench.drive();

    assertThat(template(workflow).progress().failed()).isEqualTo(begun);
    assertThat(template(workflow).pause().trying()).isTrue();
    bench.run(workflow);
    assertThat(bench.views.view(workflow).progress().succeeded()).isEqualTo(12 - begun);
  }

  @Test
  void stepsThatAreTriedCountEvenIfOthersWereReleasedAfterThem() {
    RetryPolicy ofExits =
        new RetryPolicy(1, Duration.ZERO, Duration.ZERO, EnumSet.of(FailureKind.EXIT), null, null);
    WorkflowGraph graph = new WorkflowGraph("retried");
    graph
        .template("bad", JobDraft.command("work", "{x}").retry(ofExits).spec())
        .each("x", new ValueList(null, new ArrayRange(0, 39, 1, 0)))
        .breaker(new BreakerRule(2, 1, false));
    long workflow = bench.submit(graph.submission("").workflow());
    // The first three run on, and wait for their second attempts when the template is paused.
    bench.round(step -> step.step() < 3 ? null : Outcome.SIGNALLED);
    bench.drive();
    int failed = template(workflow).progress().failed();
    assertThat(failed).isGreaterThanOrEqualTo(TemplateBreaker.PROBES);
    bench.round(step -> Outcome.FAILED);
    assertThat(template(workflow).progress().failed()).isEqualTo(failed);

    bench.control.resumeTemplate(workflow, "bad", "ann");
    Set<Integer> tried = new TreeSet<>();
    bench.run(
        workflow,
        step -> {
          tried.add(step.step());
          return Outcome.SIGNALLED;
        });
    assertThat(tried).containsExactly(0, 1, 2);
    assertThat(template(workflow).pause().trying()).isFalse();
  }

  @Test
  void aClockThatIsSetBackDoesNotHideThatStepsThatAreTriedFail() {
    long workflow = bench.submit(notifying(Map.of("bad", steps(100, null))));
    bench.run(workflow, step -> Outcome.FAILED);
    int failed = bench.views.view(workflow).progress().failed();
    bench.control.resumeTemplate(workflow, "bad", "ann");
    change("update workflow_breaker set since_at = ?", bench.jobs.database.now().plusSeconds(3600));
    bench.run(workflow, step -> Outcome.FAILED);

    assertThat(bench.views.view(workflow).progress().failed() - failed).isBetween(3, 6);
    assertThat(template(workflow).pause().trying()).isFalse();
  }

  @Test
  void failuresThatAreCountedLateDoNotPauseTheTemplateAgain() {
    long workflow = bench.submit(notifying(Map.of("bad", steps(12, new BreakerRule(2, 1, false)))));
    int begun = pausedWithStepsThatRun(workflow);
    // They end here, and are counted by the next release, after the resumption.
    bench.round(step -> step.step() < begun ? Outcome.FAILED : null);
    assertThat(template(workflow).progress().failed()).isEqualTo(2);
    bench.control.resumeTemplate(workflow, "bad", "ann");
    bench.drive();

    assertThat(template(workflow).progress().failed()).isEqualTo(begun);
    assertThat(template(workflow).pause().trying()).isTrue();
    bench.run(workflow);
    assertThat(bench.views.view(workflow).progress().succeeded()).isEqualTo(12 - begun);
  }

  // Two steps have failed, which paused the template, while others run; returns how many began.
  private int pausedWithStepsThatRun(long workflow) {
    Set<Integer> began = new TreeSet<>();
    bench.round(
        step -> {
          began.add(step.step());
          return step.step() < 2 ? Outcome.FAILED : null;
        });
    bench.drive();
    assertThat(template(workflow).pause().trying()).isFalse();
    assertThat(began).hasSizeGreaterThan(TemplateBreaker.PROBES + 2).contains(0, 1);
    return began.size();
  }

  @Test
  void stepsOneAtATimeAreTriedUntilTheyPauseTheTemplateAgainOrOneSucceeds() {
    long workflow = bench.submit(oneAtATime(12));
    bench.run(workflow, step -> Outcome.FAILED);
    assertThat(template(workflow).progress().failed()).isEqualTo(2);

    bench.control.resumeTemplate(workflow, "bad", "ann");
    assertThat(bench.steps.details(workflow, "bad[12]").reasons())
        .anyMatch(reason -> reason.contains("at most 1 of its steps"));
    bench.run(workflow, step -> Outcome.FAILED);
    assertThat(template(workflow).progress().failed()).isEqualTo(5);
    assertThat(template(workflow).pause().trying()).isFalse();

    bench.control.resumeTemplate(workflow, "bad", "ann");
    bench.run(workflow);
    assertThat(bench.views.view(workflow).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(template(workflow).progress().succeeded()).isEqualTo(7);
    assertThat(bench.mostAtOnce).isOne();
  }

  @Test
  void aLimitOfZeroIsNamedWhileStepsAreTried() {
    long workflow = bench.submit(oneAtATime(12));
    bench.run(workflow, step -> Outcome.FAILED);
    bench.control.resumeTemplate(workflow, "bad", "ann");
    bench.control.limit(workflow, "bad", 0, "ann");
    bench.run(workflow);
    assertThat(bench.steps.details(workflow, "bad[12]").reasons())
        .anyMatch(reason -> reason.equals("the limit of 'bad' is 0: no step starts"));

    bench.control.limit(workflow, "bad", 1, "ann");
    bench.control.limit(workflow, null, 0, "ann");
    bench.run(workflow);
    assertThat(bench.steps.details(workflow, "bad[12]").reasons())
        .anyMatch(reason -> reason.equals("the limit of its workflow is 0: no step starts"));
  }

  @Test
  void aTemplateOfWhichNothingIsLeftIsNotPaused() {
    WorkflowSpec graph = oneAtATime(6);
    Map<String, StepTemplate> templates = new LinkedHashMap<>(graph.templates());
    templates.put("other", steps(1, null));
    long workflow = bench.submit(notifying(templates));
    Function<StepRun, Outcome> failing = step -> step.step() < 6 ? Outcome.FAILED : null;
    bench.run(workflow, failing);
    assertThat(bench.problems()).hasSize(1);
    bench.control.resumeTemplate(workflow, "bad", "ann");
    bench.run(workflow, failing);
    assertThat(template(workflow).progress().failed()).isEqualTo(5);
    assertThat(bench.problems()).hasSize(1);

    bench.control.resumeTemplate(workflow, "bad", "ann");
    bench.run(workflow, failing);
    assertThat(bench.views.view(workflow).state()).isEqualTo(WorkflowState.RUNNING);
    assertThat(template(workflow).progress().failed()).isEqualTo(6);
    assertThat(template(workflow).pause()).isNull();
    assertThat(bench.problems()).isEmpty();
  }

  private static WorkflowSpec oneAtATime(int count) {
    WorkflowGraph graph = new WorkflowGraph("one-at-a-time");
    graph
        .template("bad", WorkflowBench.command("work", "{x}"))
        .each("x", new ValueList(null, new ArrayRange(1, count, 1, 0)))
        .maxRunning(1)
        .breaker(new BreakerRule(2, 1, false));
    return graph.submission("").workflow();
  }

  @Test
  void withoutABreakerAllStepsFail() {
    long workflow = bench.submit(notifying(Map.of("bad", steps(60, BreakerRule.of("off")))));
    WorkflowView ended = bench.run(workflow, step -> Outcome.FAILED);

    assertThat(ended.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(ended.progress().failed()).isEqualTo(60);
  }

  @Test
  void aPauseSurvivesTheLossOfTheCentralManagerAndEndsWithARetry() {
    long workflow = bench.submit(notifying(Map.of("bad", steps(100, null))));
    bench.run(workflow, step -> Outcome.FAILED);
    bench.restartWatch();
    bench.run(workflow);
    assertThat(bench.views.view(workflow).state()).isEqualTo(WorkflowState.RUNNING);

    bench.control.cancel(workflow, "ann");
    bench.run(workflow);
    bench.resets.retry(workflow, null, false, "ann");
    assertThat(bench.run(workflow).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void aTemplateThatFailsEverywhereAfterACancellationAndARetryIsPausedAgain() {
    long workflow = bench.submit(notifying(Map.of("bad", steps(200, null))));
    bench.run(workflow, step -> Outcome.FAILED);
    bench.control.cancel(workflow, "ann");
    bench.run(workflow);
    bench.resets.retry(workflow, null, false, "ann");
    WorkflowView paused = bench.run(workflow, step -> Outcome.FAILED);

    assertThat(paused.state()).isEqualTo(WorkflowState.RUNNING);
    assertThat(paused.progress().failed()).isBetween(10, 40);
    assertThat(template(workflow).pause().trying()).isFalse();
  }

  @Test
  void aTemplateThatFailsEverywhereAfterAHotRetryIsPausedAgainWithAllThatIsLeftOfIt() {
    long workflow = bench.submit(notifying(Map.of("bad", steps(200, null))));
    bench.run(workflow, step -> Outcome.FAILED);
    assertThat(template(workflow).pause()).isNotNull();
    bench.resets.retry(workflow, ResumeMode.HOT, false, "ann");
    WorkflowView paused = bench.run(workflow, step -> Outcome.FAILED);

    assertThat(paused.state()).isEqualTo(WorkflowState.RUNNING);
    assertThat(paused.progress().failed()).isBetween(10, 60);
    assertThat(template(workflow).pause().trying()).isFalse();
    assertThat(bench.problems()).hasSize(1);
  }

  @Test
  void eachEndIsToldOnce() {
    long workflow = bench.submit(notifying(Map.of("some", steps(3, null))));
    bench.run(workflow, step -> step.step() == 1 ? Outcome.FAILED : Outcome.SUCCEEDED);
    bench.run(workflow);
    assertThat(notices())
        .singleElement()
        .asString()
        .contains(
            "\"occasion\":\"FAILED\"",
            "\"about\":\"workflow\"",
            "\"name\":\"nightly\"",
            "\"id\":" + workflow,
            "\"state\":\"failed\"",
            "2 of 3 steps succeeded, 1 failed",
            "step 1 of some");

    bench.resets.retry(workflow, null, false, "ann");
    bench.run(workflow);
    assertThat(notices())
        .hasSize(2)
        .last()
        .asString()
        .contains("\"occasion\":\"SUCCEEDED\"", "\"succeeded\":3");
  }

  @Test
  void aWorkflowThatIsCancelledBeforeItsStartIsToldToo() {
    long workflow = bench.submit(notifying(Map.of("some", steps(3, null))));
    bench.control.cancel(workflow, "ann");
    bench.control.cancel(workflow, "ann");

    assertThat(notices()).singleElement().asString().contains("CANCELLED", "cancelled by ann");
  }

  @Test
  void aWorkflowThatTakesTooLongIsToldOnce() {
    long workflow = bench.submit(notifying(Map.of("some", steps(3, null))));
    bench.run(workflow, step -> null);
    bench.jobs.database.transaction(
        handle ->
            handle.execute(
                "update workflow set started_at = ? where id = ?",
                bench.jobs.database.now().minus(Duration.ofHours(2)),
                workflow));
    bench.restartWatch();
    bench.drive();
    bench.restartWatch();
    bench.drive();

    assertThat(notices()).singleElement().asString().contains("HUNG", "more than 1h");
  }

  @Test
  void aRunThatIsTooLongIsCountedFromItsLastResumption() {
    long workflow =
        bench.submit(notifying(Map.of("some", steps(3, null)), EnumSet.of(Occasion.HUNG)));
    bench.run(workflow);
    Instant longAgo = bench.jobs.database.now().minus(Duration.ofDays(2));
    change(
        "update workflow set started_at = ?, ended_at = ? where id = ?",
        longAgo,
        longAgo,
        workflow);
    bench.resets.reset(workflow, new StepReset(List.of("0"), null, false, false), "ann");
    bench.restartWatch();
    bench.drive();
    bench.round(step -> null);
    bench.restartWatch();
    bench.drive();
    assertThat(notices()).isEmpty();

    change("update job set submitted_at = ?", longAgo);
    bench.restartWatch();
    bench.drive();
    assertThat(notices()).singleElement().asString().contains("HUNG", "more than 1h");
  }

  private void change(String statement, Object... values) {
    bench.jobs.database.transaction(handle -> handle.execute(statement, values));
  }

  @Test
  void aPauseEndsWhenNoFailureIsLeft() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("bad", steps(200, null));
    templates.put("other", steps(1, null));
    long workflow = bench.submit(notifying(templates));
    bench.run(workflow, step -> Outcome.FAILED);
    List<String> failed =
        bench
            .steps
            .list(workflow, new StepFilter("bad", WorkflowStepState.FAILED, -1, 1000))
            .steps()
            .stream()
            .map(step -> Integer.toString(step.step()))
            .toList();
    bench.status.set(workflow, new StatusChange(failed, "succeeded", "by hand"), "ann");
    bench.round(step -> null);
    bench.drive();

    assertThat(bench.problems()).isEmpty();
    assertThat(template(workflow).pause()).isNull();
    AtomicInteger run = new AtomicInteger();
    WorkflowView ended =
        bench.run(
            workflow, step -> run.getAndIncrement() == 50 ? Outcome.FAILED : Outcome.SUCCEEDED);
    assertThat(ended.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(ended.progress().succeeded()).isEqualTo(199);
    assertThat(template(workflow).pause()).isNull();
  }

  @Test
  void whatAWorkflowDoesNotAskForIsNotTold() {
    long workflow =
        bench.submit(notifying(Map.of("some", steps(3, null)), EnumSet.of(Occasion.FAILED)));
    bench.run(workflow);

    assertThat(notices()).isEmpty();
  }
}

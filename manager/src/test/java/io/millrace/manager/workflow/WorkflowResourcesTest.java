package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.DataSize;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.ResourceScale;
import io.millrace.api.job.RetryPolicy;
import io.millrace.api.job.Usage;
import io.millrace.api.workflow.StepUsage;
import io.millrace.api.workflow.StepUsage.TemplateUsage;
import io.millrace.api.workflow.StepUsage.UsagePoint;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowResources;
import io.millrace.api.workflow.WorkflowResources.TemplateResources;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.manager.job.ElementUsageDao.ElementUsage;
import io.millrace.manager.job.ResourceAdjustmentDao.AdjustedElements;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What steps ask for, how that grows, and what is said of it (J-12, J-13). */
final class WorkflowResourcesTest {
  private static final long MB = 1L << 20;
  private static final AdjustedElements NOT_ADJUSTED = new AdjustedElements(0, null, null);

  private final WorkflowBench bench = new WorkflowBench(64);

  @AfterEach
  void close() {
    bench.close();
  }

  private static JobDraft job(RetryPolicy retry) {
    return JobDraft.command("/bin/step", "{x}")
        .memory("1GB")
        .timeout(Duration.ofMinutes(10))
        .retry(retry);
  }

  private static RetryPolicy retries() {
    return RetryPolicy.upTo(3, Duration.ZERO, Duration.ZERO);
  }

  @Test
  void aStepThatExceedsItsMemoryIsRetriedWithHalfAsMuchAgain() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put(
        "fit", template(job(retries()).spec(), Map.of("x", ValueList.of(List.of("a", "b", "c")))));
    templates.put(
        "large",
        template(job(retries()).spec(), Map.of("x", ValueList.of(List.of("a", "b", "c")))));
    long id = bench.submit(workflow(templates));

    WorkflowState end =
        bench
            .run(
                id,
                step ->
                    step.step() >= 4 && step.attempt() <= step.step() - 3
                        ? Outcome.MEMORY_EXCEEDED
                        : Outcome.SUCCEEDED)
            .state();

    assertThat(end).isEqualTo(WorkflowState.SUCCEEDED);
    WorkflowResources resources = resources(id, null);
    assertThat(resources.templates()).extracting(TemplateResources::name).contains("fit", "large");
    TemplateResources large = resources(id, "large").templates().get(0);
    assertThat(large.asked().memory()).hasToString("1GB");
    assertThat(large.measured().steps()).isEqualTo(3);
    assertThat(large.adjusted().steps()).isEqualTo(2);
    assertThat(large.adjusted().memory()).hasToString("2304MB");
    assertThat(large.adjusted().timeout()).isEqualTo(Duration.ofMinutes(10));
    TemplateResources fit = resources(id, "fit").templates().get(0);
    assertThat(fit.adjusted().steps()).isZero();
    assertThat(fit.measured().steps()).isEqualTo(3);
    assertThat(fit.measured().runMax()).isNotNull();
    assertThatThrownBy(() -> resources(id, "none")).hasMessageContaining("no template 'none'");
  }

  @Test
  void stepsAreSampledWithWhatTheyAskedForAndUsed() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    List<String> values = IntStream.range(0, 300).mapToObj(Integer::toString).toList();
    templates.put("many", template(job(retries()).spec(), Map.of("x", ValueList.of(values))));
    templates.put(
        "large", template(job(retries()).spec(), Map.of("x", ValueList.of(List.of("a", "b")))));
    templates.put(
        "free",
        template(
            JobDraft.command("/bin/step", "{x}").spec(), Map.of("x", ValueList.of(List.of("a")))));
    long id = bench.submit(workflow(templates));
    bench.measured = step -> step == 7 ? null : new Usage(5, (step + 1) * MB, 0, 0);
    bench.silent = true;
    bench.run(
        id,
        step ->
            step.step() == 301 && step.attempt() == 1
                ? Outcome.MEMORY_EXCEEDED
                : Outcome.SUCCEEDED);

    StepUsage usage = usage(id, null);

    assertThat(usage.templates())
        .extracting(TemplateUsage::template)
        .containsExactly("many", "large", "free");
    TemplateUsage many = usage.templates().get(0);
    assertThat(many.succeeded()).isEqualTo(300);
    assertThat(many.timeoutMillis()).isEqualTo(600_000);
    assertThat(many.points())
        .hasSizeBetween(200, StepUsage.MAX_POINTS / 3)
        .extracting(UsagePoint::step)
        .isSorted()
        .doesNotHaveDuplicates()
        .doesNotContain(7);
    assertThat(many.points())
        .allSatisfy(point -> assertThat(point.memoryBytes()).isEqualTo((point.step() + 1) * MB))
        .allSatisfy(point -> assertThat(point.askedBytes()).isEqualTo(1024 * MB));
    assertThat(usage.templates().get(1).points())
        .extracting(UsagePoint::askedBytes)
        .containsExactly(1024 * MB, 1536 * MB);
    assertThat(usage.templates().get(2).points())
        .extracting(UsagePoint::askedBytes)
        .containsExactly((Long) null);
    assertThat(usage(id, "large").templates()).hasSize(1);
    assertThatThrownBy(() -> usage(id, "none")).hasMessageContaining("no template 'none'");
  }

  private StepUsage usage(long id, String template) {
    return new UsageSamples(bench.jobs.database, bench.jobs.stepElements.revisions())
        .of(id, template);
  }

  private WorkflowResources resources(long id, String template) {
    return new ResourceQueries(bench.jobs.database, bench.jobs.stepElements.revisions())
        .of(id, template);
  }

  @Test
  void stepsThatEndedBeforeTheFirstSampleDoNotCountForTheMemory() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    List<String> values = IntStream.range(0, 10).mapToObj(Integer::toString).toList();
    Map<String, ValueList> each = Map.of("x", ValueList.of(values));
    templates.put("mixed", template(job(retries()).spec(), each));
    templates.put("short", template(job(retries()).spec(), each));
    long id = bench.submit(workflow(templates));
    // Of a short process, only the processor time is known.
    bench.measured = step -> new Usage(4, step < 2 ? 100 * MB : 0, 0, 0);
    // Even steps keep their rows, odd ones do not.
    bench.run(id, step -> step.step() % 2 == 0 ? Outcome.SUCCEEDED : null);
    bench.silent = true;
    bench.run(id);

    TemplateResources mixed = resources(id, "mixed").templates().get(0);
    TemplateResources brief = resources(id, "short").templates().get(0);

    assertThat(mixed.measured().steps()).isEqualTo(10);
    assertThat(mixed.measured().measured()).isEqualTo(2);
    assertThat(mixed.measured().memoryMean()).isEqualTo(new DataSize(100 * MB));
    assertThat(mixed.next().memory()).hasToString("128MB");
    assertThat(brief.measured().measured()).isZero();
    assertThat(brief.measured().memoryMean()).isNull();
    assertThat(brief.measured().memoryMax()).isNull();
    assertThat(brief.next().memory()).as("none is suggested").isNull();
    assertThat(brief.unusedMemoryHours()).isZero();
    assertThat(usage(id, "mixed").templates().get(0).points())
        .extracting(UsagePoint::step)
        .containsExactly(0, 1);
  }

  @Test
  void theScaleOfATemplateIsItsOwnOrTheUsualOneIfItIsRetried() {
    assertThat(StepResources.scaled(job(null).spec()).retry().scale()).isNull();
    assertThat(StepResources.scaled(job(retries()).spec()).retry().scale())
        .isEqualTo(ResourceScale.by(1.5));
    RetryPolicy own = retries().scaled(ResourceScale.by(1), List.of());
    assertThat(StepResources.scaled(job(own).spec()).retry()).isEqualTo(own);
    RetryPolicy pools = retries().scaled(null, List.of("large"));
    assertThat(StepResources.scaled(job(pools).spec()).retry().fallback()).containsExactly("large");
    assertThat(
            StepResources.scaled(job(new RetryPolicy(2, null, null, Set.of(), null, null)).spec())
                .retry()
                .on())
        .isEmpty();
  }

  @Test
  void whatToAskForNextTimeIsMoreThanTheMostThatWasUsed() {
    ElementUsage used = new ElementUsage(10, 10, 100_000, 31_000, 50_000, 300 * MB, 1000 * MB);

    TemplateResources shown = StepResources.of("a", job(null).cpu(2.0).spec(), used, NOT_ADJUSTED);

    assertThat(shown.measured().memoryMean()).isEqualTo(new DataSize(100 * MB));
    assertThat(shown.measured().runMean()).isEqualTo(Duration.ofSeconds(10));
    assertThat(shown.measured().cpuMean()).isEqualTo(Duration.ofSeconds(5));
    assertThat(shown.next().memory()).hasToString("384MB");
    assertThat(shown.next().timeout()).isEqualTo(Duration.ofMinutes(2));
    assertThat(shown.unusedMemoryHours() * 3600).isBetween(90.0, 90.5);
    assertThat(shown.unusedCpuHours() * 3600).isBetween(149.9, 150.1);
  }

  @Test
  void ofStepsThatWereNotMeasuredNothingIsSaid() {
    TemplateResources shown =
        StepResources.of("a", job(null).spec(), ElementUsage.NONE, NOT_ADJUSTED);

    assertThat(shown.measured().memoryMax()).isNull();
    assertThat(shown.next().memory()).isNull();
    assertThat(shown.next().timeout()).isNull();
    assertThat(shown.unusedMemoryHours()).isZero();
  }

  @Test
  void nextRequestsAreRoundedUp() {
    assertThat(StepResources.nextMemory(1)).hasToString("64MB");
    assertThat(StepResources.nextMemory(54 * MB)).hasToString("128MB");
    assertThat(StepResources.nextTimeout(Duration.ofMillis(3))).isEqualTo(Duration.ofSeconds(10));
    assertThat(StepResources.nextTimeout(Duration.ofSeconds(29))).isEqualTo(Duration.ofMinutes(1));
    assertThat(StepResources.nextTimeout(Duration.ofSeconds(31))).isEqualTo(Duration.ofMinutes(2));
    assertThat(StepResources.nextTimeout(Duration.ofMinutes(31))).isEqualTo(Duration.ofMinutes(70));
  }

  @Test
  void theJobOfAStepShowsEachRequest() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("one", template(job(retries()).spec(), Map.of("x", ValueList.of(List.of("a")))));
    long id = bench.submit(workflow(templates));
    bench.run(id, step -> step.attempt() == 1 ? Outcome.TIMED_OUT : Outcome.SUCCEEDED);

    long job = bench.steps.details(id, 0).job();

    assertThat(bench.jobs.queries.details(job).adjustments()).hasSize(2);
    assertThat(bench.jobs.queries.details(job).spec().timeout()).isEqualTo(Duration.ofMinutes(15));
    assertThat(bench.jobs.queries.nodeOf(new AttemptId(job, 2))).isPresent();
  }
}

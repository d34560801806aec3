package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.CriticalPath;
import io.millrace.api.workflow.CriticalPath.PathLevel;
import io.millrace.api.workflow.CriticalPath.PathLink;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.StepTimeline;
import io.millrace.api.workflow.StepTimeline.TemplateCurve;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.TemplateGraph;
import io.millrace.api.workflow.TemplateGraph.EdgeKind;
import io.millrace.api.workflow.TemplateGraph.TemplateEdge;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowView.ExpectedEnd;
import io.millrace.api.workflow.WorkflowView.TemplateView;
import io.millrace.api.workflow.WorkflowView.WorkflowDetails;
import io.millrace.manager.graph.TemplateEdges.EdgeRow;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is shown of a workflow as a whole (J-05: monitor). */
final class WorkflowViewsTest {
  private final WorkflowBench bench = new WorkflowBench(4);

  @AfterEach
  void close() {
    bench.close();
  }

  private static Map<String, ValueList> numbers(int last) {
    return Map.of("i", new ValueList(null, new ArrayRange(1, last, 1, 0)));
  }

  /** fetch 1-10, convert after it element by element, work listed, report after all of work. */
  private long submit() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("fetch", template(command("/bin/f", "{i}"), numbers(10)));
    templates.put(
        "convert",
        template(
            command("/bin/c", "{i}"), numbers(10), new StepNeed("fetch", NeedMatch.ELEMENT, null)));
    templates.put("work", listed(command("/bin/w", "{x}")));
    templates.put("report", template(command("/bin/r"), Map.of(), StepNeed.all("work")));
    return bench.submit(
        workflow(templates),
        "",
        List.of(
            new ListedStep("a", "work", Map.of("x", "1"), List.of(0, 3), null),
            new ListedStep("b", "work", Map.of("x", "2"), List.of(21), List.of("convert"))));
  }

  @Test
  void aStepOfASubmissionThatWasInterruptedWaitsForItsContinuation() {
    WorkflowGraph graph = new WorkflowGraph("interrupted");
    graph.template("fetch", command("/bin/f", "{i}")).each("i", "1", "2");
    graph.step("a", graph.template("work", command("/bin/w")), Map.of());
    long id = bench.binding.begin("ann", graph.submission("")).view().id();

    assertThat(bench.steps.details(id, "fetch[1]").reasons())
        .containsExactly("its submission has not ended; the same 'workflow submit' continues it");
  }

  @Test
  void edgesBetweenTemplatesAreSummedUp() {
    long id = submit();
    assertThatThrownBy(() -> bench.views.graph(id))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("its graph has not been checked");
    bench.drive();
    TemplateGraph graph = bench.views.graph(id);
    assertThat(graph.complete()).isTrue();
    assertThat(graph.edges())
        .containsExactly(
            new TemplateEdge("fetch", "convert", EdgeKind.ELEMENT, 10),
            new TemplateEdge("fetch", "work", EdgeKind.STEPS, 2),
            new TemplateEdge("convert", "work", EdgeKind.ALL, 1),
            new TemplateEdge("work", "work", EdgeKind.STEPS, 1),
            new TemplateEdge("work", "report", EdgeKind.ALL, 1));
    assertThat(graph.templates())
        .extracting(node -> node.template().name() + " " + node.layer())
        .containsExactly("fetch 0", "convert 1", "work 2", "report 3");
  }

  @Test
  void releasedStepsRunOrWaitForASlot() {
    long id = submit();
    bench.drive();
    bench.round(run -> null);
    TemplateView fetch = bench.views.details(id).templates().get(0);
    assertThat(fetch.progress().released()).isEqualTo(10);
    assertThat(fetch.running()).isEqualTo(8);
    assertThat(fetch.queued()).isEqualTo(2);
  }

  @Test
  void theEndIsUnknownUntilStepsOfEachTemplateWereMeasured() {
    long id = submit();
    bench.drive();
    bench.round(run -> null);
    assertThat(bench.views.details(id).expectedEnd())
        .isEqualTo(new ExpectedEnd(null, "no step of 'fetch' has been measured yet"));
    bench.control.pause(id, true, "ann");
    assertThat(bench.views.details(id).expectedEnd())
        .isEqualTo(new ExpectedEnd(null, "it is paused"));
  }

  @Test
  void pausesAndLimitsAreEventsWithTheirActor() {
    long id = submit();
    bench.drive();
    bench.control.pause(id, true, "ann");
    bench.control.pause(id, true, "bob");
    bench.control.pause(id, false, "bob");
    bench.control.limit(id, null, 3, "ann");
    bench.control.limit(id, "fetch", null, "ann");
    bench.control.limit(id, "fetch", 2, "ann");
    bench.control.limit(id, null, null, "ann");
    assertThat(bench.views.history(id).events())
        .extracting(event -> event.actor() + " " + event.event())
        .containsExactly(
            "ann paused it",
            "bob ended its pause",
            "ann limited running steps to 3",
            "ann removed the limit of 'fetch'",
            "ann limited running steps of 'fetch' to 2",
            "ann removed the limit of running steps");
  }

  @Test
  void aResumptionSaysWhetherItWasPaused() {
    long id = submit();
    bench.drive();
    assertThat(bench.control.pause(id, true, "ann").outcome()).isNull();
    assertThat(bench.control.pause(id, false, "ann").outcome())
        .isEqualTo(SubmissionOutcome.RESUMED);
    assertThat(bench.control.pause(id, false, "ann").outcome())
        .isEqualTo(SubmissionOutcome.UNCHANGED);
  }

  @Test
  void onlyAWorkflowWithStepsThatMayRunIsLimited() {
    long failed = submit();
    bench.run(failed, step -> Outcome.FAILED);
    assertThat(bench.control.limit(failed, null, 3, "ann").maxRunning()).isEqualTo(3);

    Map<String, StepTemplate> fetch = Map.of("fetch", template(command("/bin/f"), Map.of()));
    long succeeded = bench.submit(workflow(fetch), "later", List.of());
    bench.run(succeeded);
    for (String template : Arrays.asList(null, "fetch")) {
      assertThatThrownBy(() -> bench.control.limit(succeeded, template, 3, "ann"))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("has succeeded: no steps of it are left that could be limited");
    }
    assertThat(bench.views.history(succeeded).events()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void measuredTemplatesHaveAnExpectedEnd(boolean silent) {
    bench.silent = silent;
    long id = submit();
    bench.drive();
    for (int round = 0; round < 4; round++) {
      bench.round(run -> run.step() % 5 == 4 ? null : Outcome.SUCCEEDED);
    }
    WorkflowDetails details = bench.views.details(id);
    assertThat(details.templates().get(0).progress().succeeded()).isEqualTo(8);
    assertThat(details.templates().get(0).expectedEnd().at()).isNotNull();
  }

  @Test
  void anEndedWorkflowHasNoExpectedEnd() {
    long id = submit();
    bench.run(id);
    WorkflowDetails details = bench.views.details(id);
    assertThat(details.expectedEnd()).isNull();
    assertThat(details.templates()).extracting(TemplateView::expectedEnd).containsOnlyNulls();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theCriticalPathGoesThroughEveryKindOfNeed(boolean silent) {
    bench.silent = silent;
    long id = submit();
    bench.run(id);
    // Each run takes a millisecond; step b waits for step a and for all of convert.
    CriticalPath path = bench.paths.of(id, null);
    assertThat(path.level()).isEqualTo(PathLevel.STEPS);
    assertThat(path.unmeasured()).isZero();
    assertThat(path.seconds()).isEqualTo(0.004);
    assertThat(path.links())
        .extracting(PathLink::template)
        .containsExactly("fetch", "work", "work", "report");
    assertThat(path.links().get(2)).isEqualTo(new PathLink(22, "b", "work", 0.001));
    CriticalPath ofTemplates = bench.paths.of(id, PathLevel.TEMPLATES);
    assertThat(ofTemplates.seconds()).isEqualTo(0.004);
    assertThat(ofTemplates.links())
        .extracting(PathLink::template)
        .containsExactly("fetch", "convert", "work", "report");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void stepsThatNeverRanAreCountedAsUnmeasured(boolean silent) {
    bench.silent = silent;
    long id = submit();
    bench.run(id, run -> run.step() == 3 ? Outcome.FAILED : Outcome.SUCCEEDED);
    CriticalPath path = bench.paths.of(id, PathLevel.STEPS);
    // The convert of the failed one, both listed steps and the report.
    assertThat(path.unmeasured()).isEqualTo(4);
    assertThat(path.seconds()).isEqualTo(0.002);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theTimelineHasACurveForEachTemplate(boolean silent) {
    bench.silent = silent;
    long id = submit();
    bench.run(id);
    StepTimeline timeline = bench.timelines.of(id);
    assertThat(timeline.oneIn()).isEqualTo(1);
    assertThat(timeline.templates())
        .extracting(TemplateCurve::template)
        .containsExactly("fetch", "convert", "work", "report");
    assertThat(timeline.templates())
        .allSatisfy(curve -> assertThat(curve.running()).hasSizeBetween(1, 200));
  }

  @Test
  void edgesAreDeletedWithTheWorkflow() {
    long id = submit();
    bench.run(id);
    bench.control.delete(id);
    List<EdgeRow> left = bench.jobs.database.read(handle -> new EdgeDao().of(handle, id));
    assertThat(left).isEmpty();
  }
}

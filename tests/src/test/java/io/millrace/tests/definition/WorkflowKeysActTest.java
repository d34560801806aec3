package io.millrace.tests.definition;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.api.Json;
import io.millrace.api.task.TaskDefinition;
import io.millrace.api.workflow.GraphProblem;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.WorkflowDefinition;
import io.millrace.api.workflow.WorkflowDefinition.StepLine;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import io.millrace.tests.definition.KeyProofs.Refusal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every key of a workflow (J-02, J-15), as it is read in the definition of a task. Those of jobs
 * reach the jobs of steps; {@link JobKeysActTest} follows them.
 */
class WorkflowKeysActTest {
  private static final String TWO = "templates: {b: {job: {command: [b]}}}";
  private static final String NEEDS =
      "templates: {b: {job: {command: [b]}, needs: [{of: a}]}, c: {job: {command: [c]}}}";
  private static final String ALIKE =
      "templates: {a: {each: {x: 1-3}}, b: {job: {command: [b]}, each: {x: 1-3}, needs: [{of: a}]}}";
  private static final String GIVEN =
      "templates: {g: {job: {command: [g]}}, h: {job: {command: [h]}},"
          + " a: {each: {x: {from: g.list}}, needs: [g, h]}}";
  private static final String STEPS =
      "templates: {s: {job: {command: [s, '{x}']}}, t: {job: {command: [t]}}},"
          + " steps: [{name: one, template: s, arguments: {x: '1'}},"
          + " {template: s, arguments: {x: '2'}}]";

  private static final String PLAIN =
      "templates: {s: {job: {command: [s]}}, t: {job: {command: [t]}}},"
          + " steps: [{template: s}]";

  private static final String JOBS =
      "manager:workflow/WorkflowRunTest#jobsOfStepsAreWhatTheTemplateAndTheWorkflowSay";
  private static final String ENDS = "manager:workflow/WorkflowEndTest#";
  private static final String BREAKERS =
      "manager:workflow/TemplateBreakerTest#aRuleSaysHowManyFailuresOpenItAndWhatShareOfTheLastSteps";
  private static final String TOLD = "manager:workflow/WorkflowWatchTest#";
  private static final String NOT_IN_WORKFLOWS = "are not allowed in workflows";

  private static final KeyProofs<WorkflowDefinition> PROOFS =
      ofJobs(
              new KeyProofs<>(
                  "{name: w, templates: {a: {job: {command: [work]}}}}", WorkflowKeysActTest::read))
          .shown("name", JOBS)
          .shown("arguments", JOBS)
          .shown("priority", JOBS)
          .shown("maxRunning", "manager:workflow/JobmonLimitsTest#concurrencyLimited")
          .shown(
              "failFast", "manager:workflow/WithdrawnStepsTest#aFirstFailureTakesBackWhatHasNoJob")
          .shown("timeout", ENDS + "aRunThatExceedsItsTimeoutIsStoppedAndHasFailed")
          .shown("onSuccess", ENDS + "aRunThatSucceedsSubmitsItsOnSuccessJobAndNoOther")
          .shown("onFailure", ENDS + "aRunThatFailsSubmitsItsOnFailureJobAndNoOther")
          .refused("onFailure.after", "onFailure: {command: [f]}", "[{job: 1}]", "leave that out")
          .refused("onSuccess.single", "onSuccess: {command: [s]}", "one", "leave that out")
          .shown("notify.command", TOLD + "eachEndIsToldOnce")
          .shown(
              "notify.webhook",
              "manager:notification/NotificationOutboxTest#aFailedJobIsPostedToItsWebAddress")
          .shown("notify.on", TOLD + "whatAWorkflowDoesNotAskForIsNotTold")
          .shown("notify.hungAfter", TOLD + "aWorkflowThatTakesTooLongIsToldOnce")
          .refused("notify.hungAfter", "notify: {command: [mail]}", "7m", "notify.on contains hung")
          .refused("notify.lateAfter", "notify: {command: [mail]}", "7m", "does not apply")
          .acts("templates.a.each", "{x: 1-3}", WorkflowKeysActTest::plan)
          .acts("templates.a.each.x.from", GIVEN, "h.list", WorkflowKeysActTest::plan)
          .acts("templates.a.each.x.max", GIVEN, "7", WorkflowKeysActTest::plan)
          .acts("templates.a.listed", "true", WorkflowKeysActTest::plan)
          .refused("templates.a.each", "templates: {a: {listed: true}}", "{x: 1-3}", "exclude")
          .acts("templates.b.needs", TWO, "[a]", WorkflowKeysActTest::plan)
          .acts("templates.b.needs.0.of", NEEDS, "c", WorkflowKeysActTest::plan)
          .acts("templates.b.needs.0.match", NEEDS, "element", WorkflowKeysActTest::plan)
          .acts("templates.b.needs.0.by", ALIKE, "[x]", WorkflowKeysActTest::plan)
          .refused("templates.b.needs.0.match", NEEDS, "argument", "names the arguments")
          .shown(
              "templates.a.maxRunning",
              "manager:workflow/JobmonLimitsTest#arrayAndWorkflowConcurrencyLimits")
          .shown("templates.a.breaker.failures", BREAKERS)
          .shown("templates.a.breaker.share", BREAKERS)
          .shown("templates.a.breaker.off", TOLD + "withoutABreakerAllStepsFail")
          .acts("steps.0.name", STEPS, "other", WorkflowKeysActTest::plan)
          .acts("steps.0.template", PLAIN, "t", WorkflowKeysActTest::plan)
          .acts("steps.0.arguments", STEPS, "{x: other}", WorkflowKeysActTest::plan)
          .acts("steps.1.needs", STEPS, "[one]", WorkflowKeysActTest::plan)
          .acts("steps.1.needs", STEPS, "[t]", WorkflowKeysActTest::plan);

  private static KeyProofs<WorkflowDefinition> ofJobs(KeyProofs<WorkflowDefinition> proofs) {
    return proofs
        .shown("templates.a.job", JOBS)
        .refused("templates.a.job.single", "", "one", NOT_IN_WORKFLOWS)
        .refused("templates.a.job.array", "", "1-3", NOT_IN_WORKFLOWS)
        .refused("templates.a.job.after", "", "[{job: 1}]", NOT_IN_WORKFLOWS)
        .refused("templates.a.job.input", "", "{queue: alert, node: q1}", NOT_IN_WORKFLOWS)
        .refused("templates.a.job.lane", "", "one", NOT_IN_WORKFLOWS)
        .refused("templates.a.job.notBefore", "", "'2030-01-01T00:00:00Z'", NOT_IN_WORKFLOWS)
        .refused("templates.a.job.deadline", "", "'2030-01-01T00:00:00Z'", NOT_IN_WORKFLOWS)
        .refused("templates.a.job.notify", "", "{command: [mail]}", NOT_IN_WORKFLOWS)
        .refused("templates.a.job.hold", "", "true", NOT_IN_WORKFLOWS)
        .refused("templates.a.job.restart", "", "true", NOT_IN_WORKFLOWS);
  }

  /** All keys, with those of one template that has lists and needs, and of the listed steps. */
  private static List<String> keys() {
    List<String> keys = new ArrayList<>(DefinitionKeys.of(WorkflowDefinition.class));
    assertThat(keys.remove("templates")).isTrue();
    assertThat(keys.remove("steps")).isTrue();
    add(keys, "templates.a.", StepTemplate.class);
    assertThat(keys.remove("templates.a.needs")).isTrue();
    keys.add("templates.b.needs");
    add(keys, "templates.b.needs.0.", StepNeed.class);
    add(keys, "templates.a.each.x.", ListSource.class);
    add(keys, "steps.0.", StepLine.class);
    assertThat(keys.remove("steps.0.needs")).isTrue();
    keys.add("steps.1.needs");
    return keys;
  }

  private static void add(List<String> keys, String prefix, Class<? extends Record> type) {
    DefinitionKeys.of(type).forEach(key -> keys.add(prefix + key));
  }

  @Test
  void everyKeyHasAProof() {
    assertThat(PROOFS.lacking(keys())).as("keys without a proof that they act").isEmpty();
    assertThat(PROOFS.superfluous(keys())).as("proofs of keys that do not exist").isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> everyKeyActsOrIsRefused() {
    return PROOFS.all();
  }

  private static WorkflowDefinition read(ObjectNode workflow) throws Refusal {
    ObjectNode task = JsonNodeFactory.instance.objectNode();
    task.put("kind", "task").put("name", "nightly").set("workflow", workflow);
    return AppliedText.as(TaskDefinition.class).read(task).workflow();
  }

  /** Which steps there are, what they wait for, and what is sent of listed ones. */
  private static List<Object> plan(WorkflowDefinition workflow) {
    List<GraphProblem> problems = new ArrayList<>();
    WorkflowGraph graph = workflow.graph(problems);
    assertThat(problems).isEmpty();
    WorkflowPlan plan = WorkflowPlan.of(graph.prepare());
    List<Object> seen = new ArrayList<>();
    for (PlannedTemplate one : plan.templates()) {
      seen.add(one.name() + one.first() + " " + one.size() + one.arguments() + one.needsAll());
      seen.add(String.valueOf(one.given()));
    }
    for (Relation one : plan.relations()) {
      seen.add(List.of(one.from(), one.to(), one.match(), Arrays.toString(one.toLists())));
    }
    if (graph.listedSteps() > 0) {
      seen.add(Json.write(graph.chunk(0)));
    }
    return seen;
  }
}

package io.millrace.manager.graph;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.manager.graph.ListedSteps.StoredStep;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Short definitions of what tests of graphs are about. */
final class GraphDefinitions {
  private GraphDefinitions() {}

  static JobSpec command(String... argv) {
    return JobDraft.command(argv).spec();
  }

  static StepTemplate template(JobSpec job, Map<String, ValueList> each, StepNeed... needs) {
    return new StepTemplate(job, each, false, List.of(needs), null);
  }

  static StepTemplate each(Map<String, ValueList> each, StepNeed... needs) {
    return template(command("/bin/true"), each, needs);
  }

  static StepTemplate listed(JobSpec job, StepNeed... needs) {
    return new StepTemplate(job, null, true, List.of(needs), null);
  }

  static StepTemplate listed(StepNeed... needs) {
    return listed(command("/bin/true"), needs);
  }

  static ValueList range(int first, int last) {
    return new ValueList(null, new ArrayRange(first, last, 1, 0));
  }

  static WorkflowSpec workflow(Map<String, StepTemplate> templates) {
    return new WorkflowSpec("w", null, templates, null, false, null, 0, null, null, null);
  }

  /** A listed step of that template, which needs those steps. */
  static StoredStep step(int template, int... needs) {
    return new StoredStep(template, needs, new int[0], "", Map.of());
  }

  /** The same, which needs all steps of a template as well. */
  static StoredStep stepAfterAll(int template, int all, int... needs) {
    return new StoredStep(template, needs, new int[] {all}, "", Map.of());
  }

  /** A graph of those listed steps, not finished. */
  static StepGraph graph(WorkflowPlan plan, StoredStep... steps) {
    StepGraph graph = new StepGraph(plan, steps.length);
    Arrays.stream(steps).forEach(graph::add);
    return graph;
  }
}

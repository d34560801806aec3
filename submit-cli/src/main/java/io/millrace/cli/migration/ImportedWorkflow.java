package io.millrace.cli.migration;

import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.cli.migration.StepTemplates.ImportedTemplate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A graph of another system, read and free of problems. Immutable.
 *
 * @param name of the workflow, as names are in Millrace
 * @param failFast whether no further step starts once one has failed
 * @param atEnd a job that runs when the workflow has succeeded or failed; null for none
 * @param steps its steps; what a step needs may follow it
 */
public record ImportedWorkflow(
    String name, boolean failFast, JobSpec atEnd, List<ImportedStep> steps) {
  /** The most steps of a file that is imported. */
  static final int MAX_STEPS = 1_000_000;

  public ImportedWorkflow {
    steps = List.copyOf(steps);
  }

  /** The graph to submit; steps have the numbers of their positions here. */
  public WorkflowGraph graph() {
    StepTemplates templates = StepTemplates.of(steps);
    WorkflowGraph graph = new WorkflowGraph(name);
    if (failFast) {
      graph.failFast();
    }
    if (atEnd != null) {
      graph.onFailure(atEnd).onSuccess(atEnd);
    }
    for (ImportedTemplate template : templates.all()) {
      TemplateDraft draft = graph.template(template.name(), template.job());
      if (template.maxRunning() != null) {
        draft.maxRunning(template.maxRunning());
      }
    }
    List<StepHandle> handles = new ArrayList<>(steps.size());
    for (int step = 0; step < steps.size(); step++) {
      ImportedTemplate template = templates.of(step);
      handles.add(
          graph.step(
              steps.get(step).name(),
              graph.template(template.name()).orElseThrow(),
              template.arguments(steps.get(step))));
    }
    for (int step = 0; step < steps.size(); step++) {
      for (int needed : steps.get(step).needs()) {
        handles.get(step).needs(handles.get(needed));
      }
    }
    return graph;
  }

  /** How long each step takes, by position; NaN where nothing is recorded. */
  public double[] recordedSeconds() {
    return steps.stream().mapToDouble(ImportedStep::seconds).toArray();
  }

  /**
   * The longest way through the graph: the sum of the times of steps that need one another.
   *
   * @param seconds the time of each step, by position; NaN counts as 0
   */
  public double criticalPath(double[] seconds) {
    double[] latest = new double[steps.size()];
    double longest = 0;
    for (int step : inOrder()) {
      double start = 0;
      for (int needed : steps.get(step).needs()) {
        start = Math.max(start, latest[needed]);
      }
      latest[step] = start + (Double.isNaN(seconds[step]) ? 0 : seconds[step]);
      longest = Math.max(longest, latest[step]);
    }
    return longest;
  }

  /**
   * The names of steps of which each needs the one before it, and the first the last; empty if
   * none.
   */
  List<String> cycle() {
    int[] order = inOrder();
    if (order.length == steps.size()) {
      return List.of();
    }
    boolean[] ends = new boolean[steps.size()];
    Arrays.stream(order).forEach(step -> ends[step] = true);
    int at = 0;
    while (ends[at]) {
      at++;
    }
    List<Integer> way = new ArrayList<>();
    int[] seen = new int[steps.size()];
    while (seen[at] == 0) {
      way.add(at);
      seen[at] = way.size();
      at = steps.get(at).needs().stream().filter(one -> !ends[one]).findFirst().orElseThrow();
    }
    List<String> cycle = new ArrayList<>();
    for (int i = way.size() - 1; i >= seen[at] - 1; i--) {
      cycle.add(steps.get(way.get(i)).name());
    }
    return cycle;
  }

  /**
   * Positions of steps, each after those that it needs; steps of cycles and behind them are left
   * out.
   */
  int[] inOrder() {
    int[] missing = new int[steps.size()];
    int[] dependents = new int[steps.size() + 1];
    for (int step = 0; step < steps.size(); step++) {
      missing[step] = steps.get(step).needs().size();
      for (int needed : steps.get(step).needs()) {
        dependents[needed + 1]++;
      }
    }
    for (int step = 0; step < steps.size(); step++) {
      dependents[step + 1] += dependents[step];
    }
    int[] place = Arrays.copyOf(dependents, steps.size());
    int[] successors = new int[dependents[steps.size()]];
    for (int step = 0; step < steps.size(); step++) {
      for (int needed : steps.get(step).needs()) {
        successors[place[needed]++] = step;
      }
    }
    int[] order = new int[steps.size()];
    int found = 0;
    for (int step = 0; step < steps.size(); step++) {
      if (missing[step] == 0) {
        order[found++] = step;
      }
    }
    for (int done = 0; done < found; done++) {
      for (int i = dependents[order[done]]; i < dependents[order[done] + 1]; i++) {
        if (--missing[successors[i]] == 0) {
          order[found++] = successors[i];
        }
      }
    }
    return Arrays.copyOf(order, found);
  }
}

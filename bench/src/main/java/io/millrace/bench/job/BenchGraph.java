package io.millrace.bench.job;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.StepHandle;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The graphs that are measured, and whether their order was kept: templates of {@link #ELEMENTS}
 * steps in layers of {@link #LAYER} templates, each of which needs all of the layer before it; or
 * steps that are listed one by one with {@link #FAN_IN} random needs each. Immutable.
 *
 * @param steps of the graph
 * @param single whether the steps are listed one by one
 */
record BenchGraph(int steps, boolean single) {
  static final int ELEMENTS = 1_000;
  static final int LAYER = 10;
  private static final int FAN_IN = 3;

  /** A new graph; a million listed steps take some hundred megabytes. */
  WorkflowGraph graph() {
    WorkflowGraph graph = new WorkflowGraph("bench");
    if (single) {
      listSteps(graph);
    } else {
      layTemplates(graph);
    }
    return graph;
  }

  private void listSteps(WorkflowGraph graph) {
    TemplateDraft template =
        graph.template("step", JobDraft.program(StepJournal.NAME, "{n}").spec());
    StepHandle[] all = new StepHandle[steps];
    for (int step = 0; step < steps; step++) {
      all[step] = graph.step(null, template, Map.of("n", Integer.toString(step)));
      int[] needs = needs(step);
      for (int need : needs) {
        all[step].needs(all[need]);
      }
    }
  }

  /** What a step that is listed by itself needs. */
  static int[] needs(int step) {
    return new SplittableRandom(step)
        .ints(FAN_IN, 0, Math.max(1, step))
        .filter(need -> need < step)
        .distinct()
        .toArray();
  }

  private void layTemplates(WorkflowGraph graph) {
    TemplateDraft[] all = new TemplateDraft[(steps + ELEMENTS - 1) / ELEMENTS];
    for (int number = 0; number < all.length; number++) {
      int size = Math.min(ELEMENTS, steps - number * ELEMENTS);
      all[number] =
          graph
              .template("t" + number, JobDraft.program(StepJournal.NAME, "{n}").spec())
              .each("n", new ValueList(null, new ArrayRange(0, size - 1L, 1, 0)));
      int layer = number / LAYER;
      for (int before = (layer - 1) * LAYER; layer > 0 && before < layer * LAYER; before++) {
        all[number].needs(all[before]);
      }
    }
  }

  /**
   * Steps that never began, or began before all that they need had ended; each counts once, however
   * many of its needs it did not wait for.
   */
  long violations(StepJournal journal) {
    return single ? violationsOfSteps(journal) : violationsOfLayers(journal);
  }

  private long violationsOfSteps(StepJournal journal) {
    long violations = 0;
    for (int step = 0; step < steps; step++) {
      int last = 0;
      for (int need : needs(step)) {
        last = Math.max(last, end(journal, need));
      }
      violations += journal.beginOf(step) > last ? 0 : 1;
    }
    return violations;
  }

  private long violationsOfLayers(StepJournal journal) {
    long violations = 0;
    int size = ELEMENTS * LAYER;
    int lastOfLayer = 0;
    for (int from = 0; from < steps; from += size) {
      int last = 0;
      for (int step = from; step < Math.min(steps, from + size); step++) {
        violations += journal.beginOf(step) > lastOfLayer ? 0 : 1;
        last = Math.max(last, end(journal, step));
      }
      lastOfLayer = last;
    }
    return violations;
  }

  // What never ended is not over before anything else begins.
  private static int end(StepJournal journal, int step) {
    int end = journal.endOf(step);
    return end == 0 ? Integer.MAX_VALUE : end;
  }
}

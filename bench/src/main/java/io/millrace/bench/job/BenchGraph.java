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
  private static final int ELEMENTS = 1_000;
  private static final int LAYER = 10;
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

  private static int[] needs(int step) {
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

  /** Steps that began before all that they need had ended, or never. */
  long violations(StepJournal journal) {
    long violations = 0;
    if (single) {
      for (int step = 0; step < steps; step++) {
        for (int need : needs(step)) {
          if (!before(journal, need, step)) {
            violations++;
          }
        }
      }
      return violations;
    }
    int size = ELEMENTS * LAYER;
    int lastOfLayer = 0;
    for (int from = 0; from < steps; from += size) {
      int last = 0;
      for (int step = from; step < Math.min(steps, from + size); step++) {
        if (journal.beginOf(step) <= lastOfLayer) {
          violations++;
        }
        last = Math.max(last, journal.endOf(step));
      }
      lastOfLayer = last;
    }
    return violations;
  }

  private static boolean before(StepJournal journal, int need, int step) {
    return journal.endOf(need) > 0 && journal.endOf(need) < journal.beginOf(step);
  }
}

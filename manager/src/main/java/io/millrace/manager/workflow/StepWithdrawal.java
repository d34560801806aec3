package io.millrace.manager.workflow;

import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/**
 * Takes back released steps that have no job yet: they wait again, with all that they need met, so
 * that a resumption releases them. Under the lock of the workflow's row; one thread.
 */
final class StepWithdrawal {
  /** Steps that one call takes back, roughly. */
  private static final int MAX = 20_000;

  private final Handle handle;
  private final WorkflowRow workflow;
  private final StepDao steps = new StepDao();
  private final TemplateDao templates = new TemplateDao();
  private final ReleaseDao releases = new ReleaseDao();

  StepWithdrawal(Handle handle, WorkflowRow workflow) {
    this.handle = handle;
    this.workflow = workflow;
  }

  /** Takes back steps of these arrays; returns the workflow's row as it is then. */
  WorkflowRow withdraw(Collection<Long> arrays) {
    Map<Long, Long> waiting = releases.waiting(handle, arrays);
    Map<Integer, Integer> counts = new TreeMap<>();
    int taken = 0;
    for (long array : waiting.keySet()) {
      while (taken < MAX) {
        int[] part = releases.take(handle, array, StepNumbers.MAX_STEPS);
        if (part.length == 0) {
          break;
        }
        taken += part.length;
        takeBack(part, counts);
      }
    }
    if (taken == 0) {
      return workflow;
    }
    Map<Integer, TemplateRow> rows =
        templates.find(handle, workflow.id(), Set.copyOf(counts.keySet()));
    rows.values().forEach(row -> row.released -= counts.get(row.template()));
    templates.update(handle, List.copyOf(rows.values()));
    return new WorkflowDao()
        .counted(
            handle,
            workflow,
            workflow.released() - taken,
            workflow.succeeded(),
            workflow.failed(),
            workflow.cancelled());
  }

  private void takeBack(int[] numbers, Map<Integer, Integer> counts) {
    Set<Integer> needed = new TreeSet<>();
    for (int step : numbers) {
      needed.add(StepBlock.of(step));
    }
    Map<Integer, StepBlock> blocks = steps.blocks(handle, workflow.id(), needed);
    for (int step : new HashSet<>(java.util.Arrays.stream(numbers).boxed().toList())) {
      StepBlock block = blocks.get(StepBlock.of(step));
      block.state(step, WorkflowStepState.WAITING);
      counts.merge(block.template(step), 1, Integer::sum);
    }
    steps.updateBlocks(handle, workflow.id(), blocks);
  }
}

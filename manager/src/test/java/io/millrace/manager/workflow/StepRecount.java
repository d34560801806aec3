package io.millrace.manager.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.workflow.TemplateDao.TemplateRow;
import io.millrace.manager.workflow.WorkflowDao.WorkflowRow;
import io.millrace.platform.database.Database;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;

/** Steps of a workflow by template and state, counted one by one. */
final class StepRecount {
  private final Map<Integer, Map<WorkflowStepState, Integer>> templates = new TreeMap<>();

  private StepRecount(Handle handle, WorkflowRow workflow) {
    List<Integer> numbers =
        IntStream.rangeClosed(0, StepBlock.of(workflow.steps() - 1)).boxed().toList();
    new StepDao()
        .blocks(handle, workflow.id(), numbers)
        .forEach(
            (number, block) -> {
              int end = Math.min(workflow.steps(), (number + 1) * StepBlock.SIZE);
              for (int step = number * StepBlock.SIZE; step < end; step++) {
                templates
                    .computeIfAbsent(block.template(step), one -> new TreeMap<>())
                    .merge(block.state(step), 1, Integer::sum);
              }
            });
  }

  /** Requires that the counters of a workflow and of its templates are what the states say. */
  static void requireCounters(Database database, long id) {
    database.read(
        handle -> {
          WorkflowRow workflow = new WorkflowDao().find(handle, id).orElseThrow();
          StepRecount counted = new StepRecount(handle, workflow);
          for (TemplateRow row : new TemplateDao().of(handle, id)) {
            assertThat(List.of(row.released, row.succeeded, row.failed, row.cancelled))
                .as("counters of '%s', by the states of its steps", row.name())
                .isEqualTo(counted.of(List.of(row.template())));
          }
          assertThat(
                  List.of(
                      workflow.released(),
                      workflow.succeeded(),
                      workflow.failed(),
                      workflow.cancelled()))
              .as("counters of workflow %d, by the states of its steps", id)
              .isEqualTo(counted.of(List.copyOf(counted.templates.keySet())));
          return null;
        });
  }

  // As they are stored: released ones include those that have ended.
  private List<Integer> of(List<Integer> some) {
    int succeeded = count(some, WorkflowStepState.SUCCEEDED);
    int failed = count(some, WorkflowStepState.FAILED);
    int cancelled = count(some, WorkflowStepState.CANCELLED);
    int open = count(some, WorkflowStepState.RELEASED);
    return List.of(open + succeeded + failed + cancelled, succeeded, failed, cancelled);
  }

  private int count(List<Integer> some, WorkflowStepState state) {
    return some.stream()
        .mapToInt(one -> templates.getOrDefault(one, Map.of()).getOrDefault(state, 0))
        .sum();
  }
}

package io.millrace.manager.workflow;

import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.graph.WorkflowPlan;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
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
 * The states of the steps of one workflow in one transaction that holds the lock of its row: blocks
 * are read when they are needed, and written once. States change only here, together with the
 * counters of the template and of the workflow, so that these always agree. One thread; blocks on
 * the database (J-15).
 */
final class StepStates {
  private final Handle handle;
  private final WorkflowRow workflow;
  private final WorkflowPlan plan;
  private final StepDao steps = new StepDao();
  private final TemplateDao templates = new TemplateDao();
  private final Map<Integer, TemplateRow> rows = new TreeMap<>();
  private final Map<Integer, StepBlock> blocks = new TreeMap<>();
  private final Set<Integer> stored = new HashSet<>();
  private final Set<Integer> changed = new TreeSet<>();
  private int released;
  private int succeeded;
  private int failed;
  private int cancelled;
  private boolean newFailures;

  StepStates(Handle handle, WorkflowRow workflow, WorkflowPlan plan) {
    this.handle = handle;
    this.workflow = workflow;
    this.plan = plan;
  }

  /** The row of a template, which the caller may change apart from its counts of steps. */
  TemplateRow template(int number) {
    TemplateRow row = rows.get(number);
    if (row == null) {
      row = templates.find(handle, workflow.id(), List.of(number)).get(number);
      rows.put(number, row);
    }
    return row;
  }

  /** The row of the template of a step. */
  private TemplateRow rowOf(int step) {
    return template(block(step).template(step));
  }

  /** The template of a step. */
  PlannedTemplate templateOf(int step) {
    return plan.templates().get(block(step).template(step));
  }

  /** The state of a step. */
  WorkflowStepState state(int step) {
    return block(step).state(step);
  }

  /** Whether a step is released by a declaration of its end. */
  boolean declared(int step) {
    return block(step).declared(step);
  }

  /** Whether a step was last released in an epoch. */
  boolean releasedIn(int step, int epoch) {
    return block(step).releasedIn(step, epoch);
  }

  /** Whether any step failed here. */
  boolean hasFailures() {
    return newFailures;
  }

  /** Needs of a step that are not met. */
  int unmet(int step) {
    return block(step).unmet(step);
  }

  /** Changes how many needs of a step are not met. */
  void addUnmet(int step, int change) {
    StepBlock block = block(step);
    block.unmet(step, block.unmet(step) + change);
    changed.add(StepBlock.of(step));
  }

  /** A waiting step is released. */
  void release(int step) {
    block(step).release(step, workflow.epoch());
    countReleased(step, 1);
  }

  /** A waiting step is released for an end that somebody declares. */
  void releaseForDeclaration(int step) {
    block(step).releaseForDeclaration(step);
    countReleased(step, 1);
  }

  /** A released step waits again, with all that it needs met. */
  void withdraw(int step) {
    require(step, WorkflowStepState.RELEASED);
    block(step).state(step, WorkflowStepState.WAITING);
    countReleased(step, -1);
  }

  /** A released step ends. */
  void end(int step, WorkflowStepState state) {
    require(step, WorkflowStepState.RELEASED);
    block(step).state(step, state);
    changed.add(StepBlock.of(step));
    countEnded(step, state, 1);
    newFailures |= state == WorkflowStepState.FAILED;
  }

  /** A step that has ended waits again. */
  void waitAgain(int step) {
    countEnded(step, state(step), -1);
    block(step).state(step, WorkflowStepState.WAITING);
    countReleased(step, -1);
  }

  private void require(int step, WorkflowStepState state) {
    if (state(step) != state) {
      throw new IllegalStateException(
          "step %d of workflow %d is %s".formatted(step, workflow.id(), state(step)));
    }
  }

  private void countReleased(int step, int change) {
    rowOf(step).released += change;
    released += change;
    changed.add(StepBlock.of(step));
  }

  private void countEnded(int step, WorkflowStepState state, int change) {
    TemplateRow row = rowOf(step);
    switch (state) {
      case SUCCEEDED -> {
        row.succeeded += change;
        succeeded += change;
      }
      case FAILED -> {
        row.failed += change;
        failed += change;
      }
      case CANCELLED -> {
        row.cancelled += change;
        cancelled += change;
      }
      case WAITING, RELEASED -> throw new IllegalArgumentException("has not ended: " + state);
    }
  }

  private StepBlock block(int step) {
    int number = StepBlock.of(step);
    if (!blocks.containsKey(number)) {
      load(Set.of(number));
    }
    return blocks.get(number);
  }

  /** Reads the blocks of steps at once, which single reads would repeat. */
  void load(int[] numbers) {
    load(StepBlock.numbersOf(numbers));
  }

  /** Reads the blocks of consecutive steps at once. */
  void load(int from, int end) {
    Set<Integer> wanted = new TreeSet<>();
    for (int number = StepBlock.of(from); from < end && number <= StepBlock.of(end - 1); number++) {
      wanted.add(number);
    }
    load(wanted);
  }

  /** Reads blocks at once, by their numbers. */
  void load(Collection<Integer> numbers) {
    Set<Integer> missing = new TreeSet<>(numbers);
    missing.removeAll(blocks.keySet());
    Map<Integer, StepBlock> found = steps.blocks(handle, workflow.id(), missing);
    blocks.putAll(found);
    stored.addAll(found.keySet());
    missing.removeAll(found.keySet());
    missing.forEach(number -> blocks.put(number, plan.initial(number)));
  }

  /** Writes all that has changed; returns the workflow's row as it is then. */
  WorkflowRow write() {
    Map<Integer, StepBlock> inserted = new TreeMap<>();
    Map<Integer, StepBlock> updated = new TreeMap<>();
    for (int number : changed) {
      (stored.contains(number) ? updated : inserted).put(number, blocks.get(number));
    }
    steps.insertBlocks(handle, workflow.id(), inserted);
    steps.updateBlocks(handle, workflow.id(), updated);
    templates.update(handle, rows.values());
    return new WorkflowDao()
        .counted(
            handle,
            workflow,
            workflow.released() + released,
            workflow.succeeded() + succeeded,
            workflow.failed() + failed,
            workflow.cancelled() + cancelled);
  }
}

package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random graphs whose steps fail at random, with operators who cancel, pause, limit and resume at
 * random: no step starts before all that it needs has succeeded, each succeeds once, and what is
 * resumed until nothing fails succeeds as a whole.
 */
final class WorkflowOrderTest {
  private static final int MAX_RESUMPTIONS = 60;

  private Random random;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void stepsRunOnceAndInOrder(long seed) {
    random = new Random(seed);
    RandomGraph graph = new RandomGraph(random, 400);
    try (WorkflowBench bench = new WorkflowBench(1 + random.nextInt(40))) {
      long id = bench.submit(workflow(graph.templates), "", graph.steps);
      WorkflowView view = bench.run(id, run -> outcome());
      for (int i = 0; view.state() != WorkflowState.SUCCEEDED; i++) {
        assertThat(i).as("resumptions until all succeed").isLessThan(MAX_RESUMPTIONS);
        assertThat(view.state().ended()).as(view.toString()).isTrue();
        assertThat(view.progress().released())
            .as("released steps that have not ended, in %s", view)
            .isZero();
        bench.resets.retry(id, null, false, "ann");
        for (int round = 0; round < random.nextInt(6); round++) {
          operate(bench, id);
          bench.round(run -> random.nextInt(10) == 0 ? null : outcome());
        }
        restore(bench, id);
        view = bench.run(id, run -> outcome());
      }
      assertThat(view.progress().succeeded()).isEqualTo(graph.size());
      assertThat(bench.ended).hasSize(graph.size()).doesNotHaveDuplicates();
      requireOrder(graph, bench.ended);
    }
  }

  private Outcome outcome() {
    return random.nextInt(30) == 0 ? Outcome.FAILED : Outcome.SUCCEEDED;
  }

  private void operate(WorkflowBench bench, long id) {
    if (bench.views.view(id).state() != WorkflowState.RUNNING) {
      return;
    }
    switch (random.nextInt(5)) {
      case 0 -> bench.control.cancel(id, "ann");
      case 1 -> bench.control.pause(id, random.nextBoolean(), "ann");
      case 2 ->
          bench.control.limit(id, null, random.nextBoolean() ? null : random.nextInt(5), "ann");
      case 3 ->
          bench.control.limit(id, "t0", random.nextBoolean() ? null : random.nextInt(3), "ann");
      default -> bench.drive();
    }
  }

  private static void restore(WorkflowBench bench, long id) {
    if (bench.views.view(id).state() == WorkflowState.RUNNING) {
      bench.control.pause(id, false, "ann");
      bench.control.limit(id, null, null, "ann");
      bench.control.limit(id, "t0", null, "ann");
    }
  }

  private static void requireOrder(RandomGraph graph, List<Integer> ended) {
    int[] place = new int[graph.size()];
    for (int i = 0; i < ended.size(); i++) {
      place[ended.get(i)] = i;
    }
    List<TreeSet<Integer>> needs = graph.needs();
    for (int step = 0; step < graph.size(); step++) {
      for (int need : needs.get(step)) {
        assertThat(place[need])
            .as("the end of step %d, which step %d needs", need, step)
            .isLessThan(place[step]);
      }
    }
  }
}

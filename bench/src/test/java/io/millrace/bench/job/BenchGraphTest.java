package io.millrace.bench.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.client.CentralClient;
import io.millrace.api.client.ProgramContext;
import io.millrace.api.client.QueueClient;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobSpec;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whether the steps of a measured workflow kept their order, with planted violations and none. */
class BenchGraphTest {
  private static final int LAYER = BenchGraph.ELEMENTS * BenchGraph.LAYER;
  // The last layer has one template, which is not full.
  private static final BenchGraph LAYERS = new BenchGraph(2 * LAYER + 500, false);
  private static final BenchGraph SINGLE = new BenchGraph(1_000, true);

  /**
   * Steps in the order in which they run, one after the other; those that are left out never do.
   */
  private static long violations(BenchGraph graph, List<Integer> order) {
    StepJournal journal = new StepJournal();
    journal.begin(graph.steps());
    order.forEach(step -> journal.run(new StepContext(step)));
    return graph.violations(journal);
  }

  private static List<Integer> numbered(BenchGraph graph) {
    return new ArrayList<>(IntStream.range(0, graph.steps()).boxed().toList());
  }

  @Test
  void layersInTheirOrderViolateNothing() {
    List<Integer> order = numbered(LAYERS);
    assertThat(violations(LAYERS, order)).isZero();
    for (int from = 0; from < order.size(); from += LAYER) {
      Collections.reverse(order.subList(from, Math.min(order.size(), from + LAYER)));
    }
    assertThat(violations(LAYERS, order)).as("the order within a layer is free").isZero();
  }

  @Test
  void aStepOfALayerThatBeginsBeforeTheLayerBeforeItHasEndedCounts() {
    List<Integer> order = numbered(LAYERS);
    Collections.swap(order, LAYER - 1, LAYER);
    assertThat(violations(LAYERS, order)).isEqualTo(1);
    // Now two begin before the last one of the first layer.
    Collections.swap(order, LAYER, LAYER + 1);
    assertThat(violations(LAYERS, order)).isEqualTo(2);
  }

  @Test
  void aStepOfALayerThatNeverRanCountsWithAllThatNeedIt() {
    List<Integer> last = numbered(LAYERS);
    last.remove(last.size() - 1);
    assertThat(violations(LAYERS, last)).isEqualTo(1);
    List<Integer> middle = numbered(LAYERS);
    middle.remove(LAYER);
    assertThat(violations(LAYERS, middle)).isEqualTo(1 + 500);
  }

  @Test
  void listedStepsInTheirOrderViolateNothing() {
    assertThat(violations(SINGLE, numbered(SINGLE))).isZero();
  }

  @Test
  void aListedStepThatBeginsFirstCountsOnceHoweverManyNeedsItHas() {
    int step = 999;
    assertThat(BenchGraph.needs(step)).hasSizeGreaterThan(1);
    List<Integer> order = numbered(SINGLE);
    order.remove(step);
    order.add(0, step);
    assertThat(violations(SINGLE, order)).isEqualTo(1);
  }

  @Test
  void aListedStepThatNeverRanCountsWithAllThatNeedIt() {
    int missing = 10;
    long needing =
        IntStream.range(0, SINGLE.steps())
            .filter(step -> IntStream.of(BenchGraph.needs(step)).anyMatch(one -> one == missing))
            .count();
    assertThat(needing).isPositive();
    List<Integer> order = numbered(SINGLE);
    order.remove(missing);
    assertThat(violations(SINGLE, order)).isEqualTo(1 + needing);
  }

  /** Of a step; there is nothing else in it. */
  private record StepContext(int step) implements ProgramContext {
    @Override
    public Map<String, String> environment() {
      return Map.of("MILLRACE_STEP", Integer.toString(step));
    }

    @Override
    public AttemptId attempt() {
      return new AttemptId(1 + step, 1);
    }

    @Override
    public List<String> arguments() {
      return List.of();
    }

    @Override
    public String secret() {
      return "";
    }

    @Override
    public CentralClient central() {
      throw new UnsupportedOperationException();
    }

    @Override
    public QueueClient queueNode(String name, URI address) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public void pause(Duration time) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CommandAnswer command(JobSpec how) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void print(String line) {}
  }
}

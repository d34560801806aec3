package io.millrace.manager.graph;

import static io.millrace.manager.graph.GraphDefinitions.command;
import static io.millrace.manager.graph.GraphDefinitions.listed;
import static io.millrace.manager.graph.GraphDefinitions.template;
import static io.millrace.manager.graph.GraphDefinitions.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.manager.graph.StepChain.Chain;
import io.millrace.manager.graph.StepChain.ListedNeeds;
import io.millrace.manager.workflow.CriticalPaths;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The longest chain of steps. */
final class StepChainTest {
  private static final ListedNeeds NONE = new ListedNeeds(new int[0], new int[0][], Map.of());

  private static ValueList values(int count) {
    return new ValueList(null, new ArrayRange(1, count, 1, 0));
  }

  private static Map<String, ValueList> lists(int models, int seeds) {
    Map<String, ValueList> each = new LinkedHashMap<>();
    each.put("model", values(models));
    each.put("seed", values(seeds));
    return each;
  }

  @Test
  void stepsThatNeedOthersByArgumentFollowTheSlowestOfThese() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("simulate", template(command("/bin/s"), lists(2, 3)));
    templates.put(
        "average",
        template(
            command("/bin/a"),
            Map.of("model", values(2)),
            new StepNeed("simulate", NeedMatch.ARGUMENT, List.of("model"))));
    templates.put("compare", template(command("/bin/c"), Map.of(), StepNeed.all("average")));
    WorkflowPlan plan = WorkflowPlan.of(workflow(templates));
    // simulate: model 1 is 5, 9, 1 and model 2 is 8, 2, 3; average: 1 and 3; compare: 4.
    Chain chain = new StepChain(plan, new int[] {5, 9, 1, 8, 2, 3, 1, 3, 4}, NONE).longest();
    assertThat(chain).isEqualTo(new Chain(List.of(3, 7, 8), 15));
  }

  @Test
  void listedStepsMayNeedLaterOnes() {
    WorkflowPlan plan = WorkflowPlan.of(workflow(Map.of("work", listed(command("/bin/w")))));
    ListedNeeds needs = new ListedNeeds(new int[3], new int[][] {{2}, {0}, {}}, Map.of());
    Chain chain = new StepChain(plan, new int[] {1, 10, 100}, needs).longest();
    assertThat(chain).isEqualTo(new Chain(List.of(2, 0, 1), 111));
  }

  @Test
  void aChainMayBeAsLongAsTheBoundAllows() {
    WorkflowPlan plan = WorkflowPlan.of(workflow(Map.of("work", listed(command("/bin/w")))));
    int[][] needs = new int[CriticalPaths.MAX_STEPS][];
    for (int i = 0; i < needs.length; i++) {
      needs[i] = i + 1 < needs.length ? new int[] {i + 1} : new int[0];
    }
    int[] runMillis = new int[needs.length];
    Arrays.fill(runMillis, 1);
    Chain chain =
        new StepChain(plan, runMillis, new ListedNeeds(new int[needs.length], needs, Map.of()))
            .longest();
    assertThat(chain.millis()).isEqualTo(CriticalPaths.MAX_STEPS);
  }
}

package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Values that steps give to those that need them. */
final class StepOutputsTest {
  private final WorkflowBench bench = new WorkflowBench(16);
  private final Map<String, StepTemplate> templates = new LinkedHashMap<>();

  @AfterEach
  void close() {
    bench.close();
  }

  private static Map<String, ValueList> each(int size) {
    return Map.of("i", new ValueList(null, new ArrayRange(0, size - 1, 1, 0)));
  }

  @Test
  void aStepUsesTheValueOfTheOneAtItsPosition() {
    templates.put("count", template(command("/bin/count", "{i}"), each(3)));
    templates.put(
        "use",
        template(
            command("/bin/use", "{i}", "{count.lines}"),
            each(3),
            new StepNeed("count", NeedMatch.ELEMENT, null)));
    bench.outputs = step -> step < 3 ? Map.of("lines", "n" + step) : null;
    long id = bench.submit(workflow(templates));
    Map<Integer, String> used = new TreeMap<>();
    WorkflowView end =
        bench.run(
            id,
            run -> {
              used.put(run.step(), String.join(" ", run.command()));
              return Outcome.SUCCEEDED;
            });
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(used)
        .containsEntry(3, "/bin/use 0 n0")
        .containsEntry(4, "/bin/use 1 n1")
        .containsEntry(5, "/bin/use 2 n2");
  }

  @Test
  void aListedStepUsesTheValueOfTheOneThatItNeeds() {
    templates.put("one", template(command("/bin/one"), Map.of()));
    templates.put("s", listed(command("/bin/s", "{x}", "{one.a}")));
    bench.outputs = step -> step == 0 ? Map.of("a", "value of {x}") : null;
    long id =
        bench.submit(
            workflow(templates),
            "",
            List.of(new ListedStep(null, "s", Map.of("x", "1"), List.of(0), null)));
    Map<Integer, List<String>> used = new TreeMap<>();
    bench.run(
        id,
        run -> {
          used.put(run.step(), run.command());
          return Outcome.SUCCEEDED;
        });
    assertThat(used.get(1)).containsExactly("/bin/s", "1", "value of {x}");
  }

  @Test
  void aStepWhoseValueIsMissingFailsAndSaysWhichAndRunsOnceItIsThere() {
    templates.put("one", template(command("/bin/one"), Map.of()));
    templates.put("use", template(command("/bin/use", "{one.a}"), Map.of(), StepNeed.all("one")));
    long id = bench.submit(workflow(templates));
    WorkflowView end = bench.run(id);
    assertThat(end.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(end.progress().failed()).isEqualTo(1);
    assertThat(bench.steps.details(id, 1).reasons())
        .containsExactly(
            "needs the value 'a' of step 0 of 'one', which wrote none of that name to MILLRACE_OUTPUT");
  }

  @Test
  void aValueThatAStepGaveBeforeItWasResetDoesNotCount() {
    templates.put("one", template(command("/bin/one"), Map.of()));
    templates.put("use", template(command("/bin/use", "{one.a}"), Map.of(), StepNeed.all("one")));
    bench.outputs = step -> step == 0 ? Map.of("a", "1") : null;
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    bench.outputs = step -> null;
    bench.resets.reset(id, new StepReset(List.of("0"), null, true, false), "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(bench.steps.details(id, 1).reasons())
        .singleElement()
        .asString()
        .startsWith("needs the value 'a' of step 0 of 'one', which wrote none");
  }

  @Test
  void aValueThatSeveralStepsCouldGiveIsRefused() {
    templates.put("many", template(command("/bin/many"), each(2)));
    templates.put("use", template(command("/bin/use", "{many.a}"), Map.of(), StepNeed.all("many")));
    assertThatThrownBy(() -> bench.submit(workflow(templates)))
        .hasMessageContaining("'{many.a}'")
        .hasMessageContaining("exactly one step");
  }
}

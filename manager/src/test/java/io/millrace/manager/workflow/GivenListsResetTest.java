package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.StatusChange;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.manager.workflow.ListDao.ListRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lists that steps give, and templates that they leave empty, after resets (J-02, J-17). */
final class GivenListsResetTest {
  private final WorkflowBench bench = new WorkflowBench(16);
  private final Map<String, StepTemplate> templates = new LinkedHashMap<>();

  GivenListsResetTest() {
    templates.put("list", template(command("/bin/list"), Map.of()));
  }

  @AfterEach
  void close() {
    bench.close();
  }

  private static Map<String, ValueList> sizes() {
    return Map.of("size", ValueList.of(List.of("s", "m")));
  }

  private static Map<String, ValueList> filesAndSizes() {
    Map<String, ValueList> each = new LinkedHashMap<>();
    each.put("file", ValueList.of(new ListSource("list.files", 10)));
    each.putAll(sizes());
    return each;
  }

  private static StepNeed bySize(String template) {
    return new StepNeed(template, null, List.of("size"));
  }

  private void gives(Map<String, String> values) {
    bench.outputs = step -> step == 0 ? values : null;
  }

  private void reset(long id, String template) {
    bench.ended.clear();
    bench.resets.reset(id, new StepReset(List.of(), template, true, false), "ann");
  }

  private Iterable<ListRow> lists(long id) {
    return bench.jobs.database.<List<ListRow>, RuntimeException>read(
        handle -> List.copyOf(new ListDao().of(handle, id).values()));
  }

  @Test
  void whatFollowsAnEmptyTemplateWaitsForAResetStepBeforeIt() {
    templates.put("check", template(command("/bin/check"), sizes()));
    templates.put(
        "convert",
        template(command("/bin/c"), filesAndSizes(), StepNeed.all("list"), bySize("check")));
    templates.put("report", template(command("/bin/report"), Map.of(), StepNeed.all("convert")));
    gives(Map.of("files", "[]"));
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(4);

    reset(id, "check");
    List<Integer> started = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      bench.round(
          run -> {
            started.add(run.step());
            return run.step() == 1 ? Outcome.SUCCEEDED : null;
          });
    }
    assertThat(started).as("while step 2 of check runs").containsOnly(1, 2);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).containsExactly(1, 2, 23);
  }

  @Test
  void allStepsOfALongerListAreWaitedForAndNoneThatAShorterOneDoesNotMake() {
    templates.put("convert", template(command("/bin/c"), filesAndSizes(), StepNeed.all("list")));
    templates.put("sum", template(command("/bin/sum"), sizes(), bySize("convert")));
    gives(Map.of("files", "a,b,c"));
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(1 + 6 + 2);

    gives(Map.of("files", "a,b,c,d,e"));
    reset(id, "list");
    // Steps 9 and 10 are those of e, 21 and 22 those of sum.
    for (int round = 0; round < 5; round++) {
      bench.round(run -> run.step() == 9 || run.step() == 10 ? null : Outcome.SUCCEEDED);
    }
    assertThat(bench.ended).hasSize(1 + 8).doesNotContain(21, 22);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(1 + 10 + 2);

    gives(Map.of("files", "a"));
    reset(id, "list");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).containsExactlyInAnyOrder(0, 1, 2, 21, 22);
  }

  @Test
  void aStepThatGivesOneOfTwoListsFailsAndNeitherIsTaken() {
    templates.put("convert", template(command("/bin/c"), filesAndSizes(), StepNeed.all("list")));
    Map<String, ValueList> names = Map.of("name", ValueList.of(new ListSource("list.names", 5)));
    templates.put("greet", template(command("/bin/greet"), names, StepNeed.all("list")));
    gives(Map.of("files", "a"));
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(lists(id)).hasSize(2).noneMatch(ListRow::known);

    // What it gave before it failed does not count when it runs again.
    gives(null);
    bench.resets.retry(id, null, false, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(lists(id))
        .noneMatch(ListRow::known)
        .allSatisfy(list -> assertThat(list.problem()).contains("it wrote no such value"));

    gives(Map.of("files", "b", "names", "x,y"));
    bench.resets.retry(id, null, false, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(3 + 2 + 2);
  }

  @Test
  void whatWasWrongWithAListIsForgottenOnceItsStepIsDeclaredToHaveSucceeded() {
    templates.put("convert", template(command("/bin/c"), filesAndSizes(), StepNeed.all("list")));
    gives(Map.of("files", "a"));
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    gives(Map.of("files", "a,a"));
    reset(id, "list");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(lists(id)).noneMatch(list -> list.problem() == null);

    bench.status.set(id, new StatusChange(List.of("list"), "succeeded", "by hand"), "ann");
    bench.drive();
    assertThat(lists(id)).allMatch(list -> list.problem() == null);
    bench.resets.retry(id, null, false, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }
}

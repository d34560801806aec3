package io.millrace.manager.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.api.job.JobDraft;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A plan is kept for all threads that ask for the same revision of a workflow. */
class SharedPlanTest {
  private static StepTemplate template(ValueList list, StepNeed... needs) {
    return new StepTemplate(
        JobDraft.command("/bin/x").spec(), Map.of("i", list), false, List.of(needs), null);
  }

  @Test
  void theListsOfItsTemplatesAreFilledAndCannotBeChanged() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("giver", template(ValueList.of(List.of("only"))));
    ValueList given = ValueList.of(new ListSource("giver.files", 3));
    templates.put("taker", template(given, StepNeed.all("giver")));
    templates.put(
        "next",
        template(given, StepNeed.all("giver"), new StepNeed("taker", NeedMatch.ELEMENT, null)));

    List<PlannedTemplate> planned = plan(templates).templates();
    assertThat(planned.get(0).neededAll()).containsExactly(1, 2);
    assertThat(planned.get(0).takers()).containsExactly(1, 2);
    assertThat(planned.get(1).needsAll()).containsExactly(0);
    assertThat(planned.get(1).before()).isEqualTo(planned.get(2).after()).hasSize(1);
    assertThat(planned)
        .allSatisfy(
            one ->
                assertThat(
                        List.of(
                            one.arguments(),
                            one.needsAll(),
                            one.neededAll(),
                            one.before(),
                            one.after(),
                            one.takers()))
                    .allSatisfy(SharedPlanTest::cannotBeChanged));
  }

  private static WorkflowPlan plan(Map<String, StepTemplate> templates) {
    return WorkflowPlan.of(
        new WorkflowSpec("w", null, templates, null, false, null, 0, null, null, null));
  }

  private static void cannotBeChanged(List<?> list) {
    assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(list::clear);
  }
}

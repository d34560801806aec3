package io.millrace.manager.graph;

import static io.millrace.manager.graph.GraphDefinitions.each;
import static io.millrace.manager.graph.GraphDefinitions.listed;
import static io.millrace.manager.graph.GraphDefinitions.range;
import static io.millrace.manager.graph.GraphDefinitions.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.manager.graph.WorkflowPlan.MatchingSteps;
import io.millrace.manager.graph.WorkflowPlan.PlannedTemplate;
import io.millrace.manager.graph.WorkflowPlan.Relation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;

/** How steps that lists make are numbered and matched, and which templates are refused. */
final class WorkflowPlanTest {
  private static final int LARGEST = ValueList.MAX;

  private final Map<String, StepTemplate> templates = new LinkedHashMap<>();

  private WorkflowPlan plan() {
    return WorkflowPlan.of(workflow(templates));
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertRefused() {
    return assertThatThrownBy(this::plan)
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_DEFINITION));
  }

  private static ValueList values(String... values) {
    return ValueList.of(List.of(values));
  }

  private static ValueList from(String source, int max) {
    return ValueList.of(new ListSource(source, max));
  }

  private static Map<String, ValueList> lists(ValueList i, ValueList j) {
    Map<String, ValueList> lists = new LinkedHashMap<>();
    lists.put("i", i);
    lists.put("j", j);
    return lists;
  }

  @Test
  void stepsAreNumberedByTemplateAndTheLastListChangesFirst() {
    templates.put("a", each(lists(range(0, 1), range(0, 2))));
    templates.put("s", listed());
    templates.put("b", each(Map.of()));
    templates.put("c", each(Map.of("i", range(0, 199))));
    WorkflowPlan plan = plan();
    assertThat(plan.fixedSteps()).isEqualTo(6 + 1 + 200);
    for (int step = 0; step < plan.fixedSteps(); step++) {
      String name = step < 6 ? "a" : step == 6 ? "b" : "c";
      PlannedTemplate template = plan.ofFixed(step);
      assertThat(template.name()).as("template of step %d", step).isEqualTo(name);
      StepBlock block = plan.initial(StepBlock.of(step));
      assertThat(block.template(step)).isEqualTo(template.number());
    }
    assertThat(plan.templates().get(0).positions(4)).containsExactly(1, 1);
    assertThat(plan.templates().get(3).positions(206)).containsExactly(199);
  }

  @Test
  void eachNeedOfSingleStepsIsUnmetAtFirst() {
    templates.put("a", each(Map.of("i", range(0, 2))));
    templates.put("b", each(Map.of("i", range(0, 2)), new StepNeed("a", NeedMatch.ELEMENT, null)));
    templates.put(
        "c",
        each(
            Map.of("i", range(0, 2)),
            new StepNeed("a", null, List.of("i")),
            new StepNeed("b", NeedMatch.ELEMENT, null),
            StepNeed.all("b")));
    StepBlock block = plan().initial(0);
    assertThat(IntStream.range(0, 9).map(block::unmet)).containsExactly(0, 0, 0, 1, 1, 1, 2, 2, 2);
  }

  @Test
  void stepsWithEqualArgumentsMatch() {
    templates.put("from", each(lists(values("x", "y", "z"), range(10, 14))));
    templates.put(
        "by_one",
        each(lists(range(0, 1), values("z", "x")), new StepNeed("twin", null, List.of("j"))));
    templates.put("twin", each(lists(range(5, 6), values("z", "q", "x"))));
    templates.put(
        "by_both",
        each(
            lists(values("z", "y"), range(11, 12)), new StepNeed("from", null, List.of("j", "i"))));
    WorkflowPlan plan = plan();
    assertThat(plan.relations()).hasSize(2);
    for (Relation relation : plan.relations()) {
      PlannedTemplate from = plan.templates().get(relation.from());
      PlannedTemplate to = plan.templates().get(relation.to());
      for (int step = 0; step < to.size(); step++) {
        int waiting = to.first() + step;
        int combination = plan.wanted(relation, waiting);
        List<Integer> needed = new ArrayList<>();
        for (int one = from.first(); one < from.first() + from.size(); one++) {
          if (arguments(relation, from, one).equals(arguments(relation, to, waiting))) {
            needed.add(one);
            assertThat(plan.combination(relation, one)).isEqualTo(combination);
          }
        }
        assertThat(needed).isNotEmpty().hasSize(plan.sharing(relation));
        assertThat(numbers(plan.sharers(relation, combination))).isEqualTo(needed);
        assertThat(numbers(plan.waiters(relation, combination))).contains(waiting).isSorted();
      }
      int waiters = 0;
      for (int combination = 0; combination < from.size() / plan.sharing(relation); combination++) {
        waiters += plan.waiters(relation, combination).count();
      }
      assertThat(waiters).as("each step waits for one combination").isEqualTo(to.size());
    }
  }

  // The values of what is compared, in the order of the need.
  private List<String> arguments(Relation relation, PlannedTemplate template, int step) {
    StepTemplate definition = templates.get(template.name());
    int[] lists = template.number() == relation.from() ? relation.fromLists() : relation.toLists();
    return IntStream.of(lists)
        .mapToObj(
            list ->
                definition
                    .each()
                    .get(template.arguments().get(list))
                    .get(template.positions(step)[list]))
        .toList();
  }

  private static List<Integer> numbers(MatchingSteps steps) {
    return IntStream.range(0, steps.count()).map(steps::step).boxed().toList();
  }

  @Test
  void listsMakeFiveMillionStepsTogetherAtMost() {
    for (int i = 0; i < 5; i++) {
      templates.put("t" + i, each(Map.of("i", range(1, LARGEST))));
    }
    assertThat(plan().fixedSteps()).isEqualTo(5_000_000);
    templates.put("more", each(Map.of()));
    assertRefused().hasMessage("templates: their lists make more than 5000000 steps together");
  }

  @Test
  void namesOfArgumentsAreRefusedIfTheyAreNotNames() {
    templates.put("a", each(Map.of("i j", range(0, 1))));
    assertRefused().hasMessageStartingWith("templates.a.each: an argument's name");
  }

  @Test
  void aListIsGivenByTheOnlyStepOfATemplate() {
    templates.put("give", each(Map.of("i", range(0, 1))));
    templates.put("take", each(Map.of("f", from("give.list", 3)), StepNeed.all("give")));
    String refusal =
        "templates.take.each: from: %s: a list is given by the only step of a template, but '%s' has"
            + " or may have several";
    assertRefused().hasMessage(refusal.formatted("give.list", "give"));

    templates.put("give", each(Map.of()));
    assertThat(plan().templates().get(0).takers()).containsExactly(1);
    // Even if it has at most one step, that may be none.
    templates.put("take", each(Map.of("f", from("give.list", 1)), StepNeed.all("give")));
    templates.put("next", each(Map.of("f", from("take.list", 3)), StepNeed.all("take")));
    assertRefused()
        .hasMessage(refusal.formatted("take.list", "take").replace("take.each", "next.each"));
  }

  @Test
  void aTemplateNeedsTheOneThatGivesItsList() {
    templates.put("give", each(Map.of()));
    templates.put("take", each(Map.of("f", from("give.list", 3))));
    assertRefused().hasMessage("templates.take.each: from: give.list: add 'give' to needs");
  }

  @Test
  void namesOfGivenValuesAreBounded() {
    templates.put("give", each(Map.of()));
    for (int length : List.of(60, 61)) {
      String name = "v".repeat(length);
      templates.put("take", each(Map.of("f", from("give." + name, 3)), StepNeed.all("give")));
      if (length == 60) {
        assertThat(plan().templates().get(1).given().value()).isEqualTo(name);
      } else {
        assertRefused().hasMessageEndingWith("names of values have at most 60 characters");
      }
    }
  }

  @Test
  void templatesThatNeedOneAnotherAreRefused() {
    templates.put("before", each(Map.of()));
    templates.put("a", each(Map.of("i", range(0, 1)), StepNeed.all("before"), StepNeed.all("c")));
    templates.put("b", each(Map.of("i", range(0, 1)), new StepNeed("a", NeedMatch.ELEMENT, null)));
    templates.put("c", each(Map.of("i", range(0, 1)), new StepNeed("b", null, List.of("i"))));
    templates.put("after", each(Map.of(), StepNeed.all("a")));
    assertRefused().hasMessageEndingWith(": a needs c needs b needs a");
  }

  @Test
  void ofALongCycleOfTemplatesTheBeginningIsNamed() {
    for (int i = 0; i < 150; i++) {
      templates.put("t" + i, each(Map.of(), StepNeed.all("t" + (i + 1) % 150)));
    }
    assertRefused()
        .hasMessageContaining(": t0 needs t1 needs ")
        .hasMessageEndingWith(" needs t99 needs … (150 templates)");
  }

  @Test
  void aNeedNamesAnotherTemplateOfTheWorkflow() {
    templates.put("fetch", each(Map.of()));
    templates.put("use", each(Map.of(), StepNeed.all("fetsh")));
    assertRefused()
        .hasMessage("templates.use.needs: there is no template 'fetsh'; did you mean 'fetch'?");
    templates.put("use", each(Map.of(), StepNeed.all("use")));
    assertRefused().hasMessage("templates.use.needs: a template cannot need itself");
  }

  @Test
  void listedStepsAreNeededAsAWholeOrOneByOne() {
    templates.put("s", listed());
    templates.put("use", each(Map.of(), new StepNeed("s", NeedMatch.ELEMENT, null)));
    assertRefused().hasMessageEndingWith("; s can only be needed as a whole here");
    templates.remove("use");
    templates.put("a", each(Map.of()));
    templates.put("s", listed(new StepNeed("a", NeedMatch.ELEMENT, null)));
    assertRefused().hasMessageEndingWith("; a can only be needed as a whole here");
  }

  @Test
  void elementToElementRequiresEquallyManySteps() {
    templates.put("a", each(Map.of("i", range(0, 1))));
    templates.put("b", each(Map.of("i", range(0, 2)), new StepNeed("a", NeedMatch.ELEMENT, null)));
    assertRefused().hasMessageEndingWith("requires equally many steps, but a has 2 and b has 3");
  }

  @Test
  void bothTemplatesHaveTheArgumentThatIsCompared() {
    templates.put("a", each(Map.of("model", range(0, 1))));
    templates.put(
        "b", each(Map.of("modal", range(0, 1)), new StepNeed("a", null, List.of("modal"))));
    assertRefused()
        .hasMessage(
            "templates.b.needs: 'a' has no list of 'modal' under each; did you mean 'model'?");
    templates.put("b", each(Map.of("x", range(0, 1)), new StepNeed("a", null, List.of("model"))));
    assertRefused().hasMessage("templates.b.needs: 'b' has no list of 'model' under each");
  }

  @Test
  void aValueThatNoStepHasIsNamed() {
    String refusal = "templates.b.needs: i: the value '%s' does not occur in template 'a'";
    StepNeed byI = new StepNeed("a", null, List.of("i"));
    templates.put("a", each(Map.of("i", values("x", "y"))));
    templates.put("b", each(Map.of("i", values("y", "z")), byI));
    assertRefused().hasMessage(refusal.formatted("z"));
    templates.put("a", each(Map.of("i", range(3, 9))));
    templates.put("b", each(Map.of("i", range(8, 10)), byI));
    assertRefused().hasMessage(refusal.formatted("10"));
    templates.put("b", each(Map.of("i", values("3", "11")), byI));
    assertRefused().hasMessage(refusal.formatted("11"));
  }
}

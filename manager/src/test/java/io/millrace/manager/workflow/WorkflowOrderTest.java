package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private final List<ListedStep> steps = new ArrayList<>();
  private final Map<String, StepTemplate> templates = new LinkedHashMap<>();
  private final Map<String, Integer> firsts = new HashMap<>();
  private int fixed;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void stepsRunOnceAndInOrder(long seed) {
    random = new Random(seed);
    makeTemplates();
    makeSteps();
    try (WorkflowBench bench = new WorkflowBench(1 + random.nextInt(40))) {
      long id = bench.submit(workflow(templates), "", steps);
      WorkflowView view = bench.run(id, run -> outcome());
      for (int i = 0; view.state() != WorkflowState.SUCCEEDED; i++) {
        assertThat(i).as("resumptions until all succeed").isLessThan(MAX_RESUMPTIONS);
        assertThat(view.state().ended()).as(view.toString()).isTrue();
        assertThat(view.progress().released())
            .as("released steps that have not ended, in %s", view)
            .isZero();
        bench.control.resume(id, "ann");
        for (int round = 0; round < random.nextInt(6); round++) {
          operate(bench, id);
          bench.round(run -> random.nextInt(10) == 0 ? null : outcome());
        }
        restore(bench, id);
        view = bench.run(id, run -> outcome());
      }
      assertThat(view.progress().succeeded()).isEqualTo(fixed + steps.size());
      assertThat(bench.ended).hasSize(fixed + steps.size()).doesNotHaveDuplicates();
      requireOrder(bench.ended);
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
      case 1 -> bench.control.pause(id, random.nextBoolean());
      case 2 -> bench.control.limit(id, null, random.nextBoolean() ? null : random.nextInt(5));
      case 3 -> bench.control.limit(id, "t0", random.nextBoolean() ? null : random.nextInt(3));
      default -> bench.drive();
    }
  }

  private static void restore(WorkflowBench bench, long id) {
    if (bench.views.view(id).state() == WorkflowState.RUNNING) {
      bench.control.pause(id, false);
      bench.control.limit(id, null, null);
      bench.control.limit(id, "t0", null);
    }
  }

  private void makeTemplates() {
    int count = 1 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      Map<String, ValueList> each = new LinkedHashMap<>();
      each.put("i", range(1 + random.nextInt(40)));
      if (random.nextBoolean()) {
        each.put("j", range(1 + random.nextInt(6)));
      }
      List<StepNeed> needs = new ArrayList<>();
      for (String before : List.copyOf(templates.keySet())) {
        if (random.nextInt(3) == 0) {
          needs.add(need(before, each));
        }
      }
      StepTemplate made = template(command("/bin/t", "{i}"), each, needs.toArray(StepNeed[]::new));
      firsts.put("t" + i, fixed);
      templates.put("t" + i, made);
      fixed += made.size();
    }
    templates.put(
        "s",
        random.nextBoolean()
            ? listed(command("/bin/s", "{x}"))
            : listed(command("/bin/s", "{x}"), StepNeed.all("t0")));
    if (random.nextBoolean()) {
      templates.put("last", template(command("/bin/l"), Map.of("i", range(5)), StepNeed.all("s")));
      firsts.put("last", fixed);
      fixed += 5;
    }
  }

  private StepNeed need(String before, Map<String, ValueList> each) {
    StepTemplate other = templates.get(before);
    int size = each.values().stream().mapToInt(ValueList::size).reduce(1, (a, b) -> a * b);
    if (other.size() == size) {
      return new StepNeed(before, NeedMatch.ELEMENT, null);
    }
    for (String argument : each.keySet()) {
      ValueList list = other.each().get(argument);
      if (list != null && list.size() >= each.get(argument).size()) {
        return new StepNeed(before, null, List.of(argument));
      }
    }
    return StepNeed.all(before);
  }

  private void makeSteps() {
    int count = 1 + random.nextInt(400);
    for (int i = 0; i < count; i++) {
      TreeSet<Integer> needs = new TreeSet<>();
      for (int n = random.nextInt(4); n > 0 && fixed + i > 0; n--) {
        int need = random.nextInt(fixed + i);
        // What waits for all listed steps cannot be needed by one of them.
        boolean last = templates.containsKey("last") && need < fixed && need >= firsts.get("last");
        if (!last) {
          needs.add(need);
        }
      }
      steps.add(
          new ListedStep(
              null,
              "s",
              Map.of("x", "v" + i),
              List.copyOf(needs),
              random.nextInt(20) == 0 ? List.of("t0") : null));
    }
  }

  private static ValueList range(int size) {
    return new ValueList(null, new ArrayRange(0, size - 1, 1, 0));
  }

  private void requireOrder(List<Integer> ended) {
    int[] place = new int[fixed + steps.size()];
    for (int i = 0; i < ended.size(); i++) {
      place[ended.get(i)] = i;
    }
    WorkflowPlan plan = WorkflowPlan.of(workflow(templates));
    for (int i = 0; i < steps.size(); i++) {
      for (int need : steps.get(i).needs()) {
        requireBefore(place, need, fixed + i);
      }
      for (String all : steps.get(i).all()) {
        requireAllBefore(place, all, fixed + i);
      }
    }
    templates.forEach(
        (name, template) -> {
          for (StepNeed need : template.needs()) {
            for (int step : stepsOf(name)) {
              requireNeed(plan, place, need, name, step);
            }
          }
        });
  }

  private void requireNeed(WorkflowPlan plan, int[] place, StepNeed need, String name, int step) {
    switch (need.match()) {
      case ALL -> requireAllBefore(place, need.of(), step);
      case ELEMENT -> requireBefore(place, firsts.get(need.of()) + step - firsts.get(name), step);
      case ARGUMENT -> {
        for (int other : stepsOf(need.of())) {
          if (argument(plan, need.of(), other, need.by().get(0))
              == argument(plan, name, step, need.by().get(0))) {
            requireBefore(place, other, step);
          }
        }
      }
    }
  }

  // All lists are ranges from 0: the position is the value.
  private static int argument(WorkflowPlan plan, String template, int step, String argument) {
    var planned =
        plan.templates().stream().filter(one -> one.name().equals(template)).findFirst().get();
    return planned.positions(step)[planned.arguments().indexOf(argument)];
  }

  private void requireAllBefore(int[] place, String template, int step) {
    for (int other : stepsOf(template)) {
      requireBefore(place, other, step);
    }
  }

  private List<Integer> stepsOf(String template) {
    int first = template.equals("s") ? fixed : firsts.get(template);
    int size = template.equals("s") ? steps.size() : templates.get(template).size();
    return java.util.stream.IntStream.range(first, first + size).boxed().toList();
  }

  private static void requireBefore(int[] place, int need, int step) {
    assertThat(place[need])
        .as("the end of step %d, which step %d needs", need, step)
        .isLessThan(place[step]);
  }
}

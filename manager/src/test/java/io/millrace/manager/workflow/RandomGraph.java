package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.manager.graph.WorkflowPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** A random graph: some templates that need one another in all ways, and listed steps. */
final class RandomGraph {
  final List<ListedStep> steps = new ArrayList<>();
  final Map<String, StepTemplate> templates = new LinkedHashMap<>();
  private final Random random;
  private final Map<String, Integer> firsts = new HashMap<>();
  private int fixed;

  RandomGraph(Random random, int mostListed) {
    this.random = random;
    makeTemplates();
    makeSteps(mostListed);
  }

  int size() {
    return fixed + steps.size();
  }

  /** All steps that each step needs, by number. */
  List<TreeSet<Integer>> needs() {
    List<TreeSet<Integer>> needs = new ArrayList<>();
    for (int step = 0; step < size(); step++) {
      needs.add(new TreeSet<>());
    }
    for (int i = 0; i < steps.size(); i++) {
      needs.get(fixed + i).addAll(steps.get(i).needs());
      for (String all : steps.get(i).all()) {
        needs.get(fixed + i).addAll(stepsOf(all));
      }
    }
    WorkflowPlan plan = WorkflowPlan.of(workflow(templates));
    templates.forEach(
        (name, template) -> {
          for (StepNeed need : template.needs()) {
            for (int step : stepsOf(name)) {
              needs.get(step).addAll(needed(plan, need, name, step));
            }
          }
        });
    return needs;
  }

  private List<Integer> needed(WorkflowPlan plan, StepNeed need, String name, int step) {
    return switch (need.match()) {
      case ALL -> stepsOf(need.of());
      case ELEMENT -> List.of(firsts.get(need.of()) + step - firsts.get(name));
      case ARGUMENT ->
          stepsOf(need.of()).stream()
              .filter(
                  other ->
                      argument(plan, need.of(), other, need.by().get(0))
                          == argument(plan, name, step, need.by().get(0)))
              .toList();
    };
  }

  // All lists are ranges from 0: the position is the value.
  private static int argument(WorkflowPlan plan, String template, int step, String argument) {
    var planned =
        plan.templates().stream().filter(one -> one.name().equals(template)).findFirst().get();
    return planned.positions(step)[planned.arguments().indexOf(argument)];
  }

  List<Integer> stepsOf(String template) {
    int first = template.equals("s") ? fixed : firsts.get(template);
    int size = template.equals("s") ? steps.size() : templates.get(template).size();
    return IntStream.range(first, first + size).boxed().toList();
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

  private void makeSteps(int most) {
    int count = 1 + random.nextInt(most);
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
}

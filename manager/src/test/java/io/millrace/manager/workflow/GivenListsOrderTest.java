package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.WorkflowPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random graphs whose templates take lists from steps, which at times give a wrong list or none:
 * resumed until nothing fails, each combination of values that were given has run once, and none
 * before all that it needs.
 */
final class GivenListsOrderTest {
  private static final int MAX_RESUMPTIONS = 60;
  private static final int MAX_VALUES = 40;
  private static final int RESETS = 5;

  private Random random;
  private final Map<String, StepTemplate> templates = new LinkedHashMap<>();
  private final Map<String, List<String>> given = new HashMap<>();
  private final Map<Integer, String> giverOf = new HashMap<>();

  /** A step that ran: its template and the values of its arguments. */
  private record Ran(String template, List<String> values) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void existingStepsRunOnceAndInOrder(long seed) {
    random = new Random(seed);
    makeTemplates();
    List<ListedStep> listed = new ArrayList<>();
    if (random.nextBoolean()) {
      templates.put("s", WorkflowBench.listed(command("s", "{x}")));
      String all = "t" + random.nextInt(3);
      listed.add(new ListedStep(null, "s", Map.of("x", "1"), List.of(), List.of(all)));
    }
    try (WorkflowBench bench = new WorkflowBench(1 + random.nextInt(40), maxTouched(seed))) {
      WorkflowPlan plan = WorkflowPlan.of(workflow(templates));
      plan.templates().forEach(one -> giverOf.put(one.first(), one.name()));
      bench.outputs = this::outputs;
      Map<Integer, Ran> ran = new TreeMap<>();
      long id = bench.submit(workflow(templates), "", listed);
      WorkflowView view = bench.run(id, run -> end(run, ran));
      for (int i = 0; view.state() != WorkflowState.SUCCEEDED; i++) {
        assertThat(i).as("resumptions until all succeed").isLessThan(MAX_RESUMPTIONS);
        assertThat(view.state().ended()).as(view.toString()).isTrue();
        bench.resets.retry(id, null, false, "ann");
        for (int round = 0; round < random.nextInt(5); round++) {
          if (random.nextInt(8) == 0 && bench.views.view(id).state() == WorkflowState.RUNNING) {
            bench.control.cancel(id, "ann");
          }
          bench.round(run -> random.nextInt(10) == 0 ? null : end(run, ran));
        }
        view = bench.run(id, run -> end(run, ran));
      }
      Set<Ran> expected = new LinkedHashSet<>();
      templates.keySet().forEach(name -> expected.addAll(stepsOf(name)));
      listed.forEach(step -> expected.add(new Ran("s", List.of("1"))));
      assertThat(ran.values()).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(view.progress().steps()).isEqualTo(expected.size());
      assertThat(view.progress().succeeded()).isEqualTo(expected.size());
      requireOrder(bench.ended, ran, listed);
    }
  }

  /**
   * Resets of whatever had succeeded: with all that is below it, a step may give another list, also
   * an empty one in place of one with values and the reverse.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void afterResetsEverythingSucceedsAgain(long seed) {
    random = new Random(1000 + seed);
    makeTemplates();
    templates.put("s", WorkflowBench.listed(command("s", "{x}")));
    List<ListedStep> listed =
        List.of(new ListedStep(null, "s", Map.of("x", "1"), List.of(), List.of("t0", "t2")));
    try (WorkflowBench bench = new WorkflowBench(1 + random.nextInt(40), maxTouched(seed))) {
      WorkflowPlan plan = WorkflowPlan.of(workflow(templates));
      plan.templates().forEach(one -> giverOf.put(one.first(), one.name()));
      bench.outputs = this::outputs;
      long id = bench.submit(workflow(templates), "", listed);
      succeed(bench, id);
      for (int i = 0; i < RESETS; i++) {
        String reset = List.copyOf(templates.keySet()).get(random.nextInt(templates.size()));
        boolean dependents = random.nextInt(3) > 0;
        if (dependents && given.containsKey(reset)) {
          given.put(reset, values(reset));
        }
        bench.resets.reset(id, new StepReset(null, reset, dependents, false), "ann");
        for (int piece = random.nextInt(5); piece > 0; piece--) {
          bench.piece(id, random.nextBoolean());
        }
        succeed(bench, id);
        int expected = 1 + templates.keySet().stream().mapToInt(name -> stepsOf(name).size()).sum();
        WorkflowView view = bench.views.view(id);
        assertThat(view.progress().steps())
            .as("steps after reset of %s", reset)
            .isEqualTo(expected);
        assertThat(view.progress().succeeded()).isEqualTo(expected);
        assertThat(view.progress().released()).isZero();
        StepRecount.requireCounters(bench.jobs.database, id);
      }
    }
  }

  // Of every other graph, most openings take several rounds.
  private static int maxTouched(long seed) {
    return seed % 2 == 0 ? (int) seed : ReleaseRound.MAX_TOUCHED;
  }

  private void succeed(WorkflowBench bench, long id) {
    Map<Integer, Ran> ran = new TreeMap<>();
    WorkflowView view = bench.run(id, run -> end(run, ran));
    for (int i = 0; view.state() != WorkflowState.SUCCEEDED; i++) {
      assertThat(i).as("resumptions until all succeed").isLessThan(MAX_RESUMPTIONS);
      assertThat(view.state().ended()).as(view.toString()).isTrue();
      bench.resets.retry(id, null, false, "ann");
      view = bench.run(id, run -> end(run, ran));
    }
  }

  private Outcome end(WorkflowBench.StepRun run, Map<Integer, Ran> ran) {
    List<String> command = run.command();
    ran.put(run.step(), new Ran(command.get(0), command.subList(1, command.size())));
    return random.nextInt(30) == 0 ? Outcome.FAILED : Outcome.SUCCEEDED;
  }

  private Map<String, String> outputs(int step) {
    List<String> values = given.get(giverOf.get(step));
    if (values == null) {
      return null;
    }
    return switch (random.nextInt(6)) {
      case 0 -> null;
      case 1 -> Map.of("list", "a,a");
      case 2, 3 ->
          Map.of(
              "list",
              "[" + String.join(", ", values.stream().map(one -> '"' + one + '"').toList()) + "]");
      default -> Map.of("list", String.join(",", values));
    };
  }

  private List<String> values(String giver) {
    int size = random.nextInt(4) == 0 ? 0 : random.nextInt(MAX_VALUES + 1);
    return IntStream.range(0, size).mapToObj(n -> giver + "v" + n).toList();
  }

  private void makeTemplates() {
    for (int i = 0; i < 2; i++) {
      String giver = "g" + i;
      given.put(giver, values(giver));
      templates.put(giver, template(command(giver), Map.of()));
    }
    int count = 3 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      Map<String, ValueList> each = new LinkedHashMap<>();
      Set<StepNeed> needs = new LinkedHashSet<>();
      if (random.nextInt(3) > 0) {
        String giver = "g" + random.nextInt(2);
        each.put("f", ValueList.of(new ListSource(giver + ".list", MAX_VALUES)));
        needs.add(StepNeed.all(giver));
      }
      if (random.nextBoolean()) {
        int size = 1 + random.nextInt(3);
        each.put("j", ValueList.of(IntStream.range(0, size).mapToObj(n -> "j" + n).toList()));
      }
      for (int before = 0; before < i; before++) {
        if (random.nextInt(2) == 0) {
          needs.add(need("t" + before, each));
        }
      }
      List<String> argv = new ArrayList<>(List.of("t" + i));
      each.keySet().forEach(name -> argv.add("{" + name + "}"));
      templates.put(
          "t" + i,
          template(command(argv.toArray(String[]::new)), each, needs.toArray(StepNeed[]::new)));
    }
  }

  private StepNeed need(String before, Map<String, ValueList> each) {
    Map<String, ValueList> other = templates.get(before).each();
    if (!each.isEmpty() && each.equals(other) && random.nextBoolean()) {
      return new StepNeed(before, NeedMatch.ELEMENT, null);
    }
    for (String argument : List.of("f", "j")) {
      ValueList own = each.get(argument);
      ValueList others = other.get(argument);
      boolean comparable =
          own != null
              && others != null
              && (own.source() == null
                  ? others.size() >= own.size()
                  : own.source().equals(others.source()));
      if (comparable && random.nextInt(3) > 0) {
        return new StepNeed(before, null, List.of(argument));
      }
    }
    return StepNeed.all(before);
  }

  // What there must be by the definition and the values that were given.
  private List<Ran> stepsOf(String name) {
    List<List<String>> combinations = List.of(List.of());
    if (templates.get(name).listed()) {
      return List.of();
    }
    for (ValueList list : templates.get(name).each().values()) {
      List<String> values =
          list.source() == null ? list.listed() : given.get(list.source().from().substring(0, 2));
      List<List<String>> longer = new ArrayList<>();
      for (List<String> before : combinations) {
        for (String value : values) {
          List<String> combination = new ArrayList<>(before);
          combination.add(value);
          longer.add(combination);
        }
      }
      combinations = longer;
    }
    return combinations.stream().map(values -> new Ran(name, values)).toList();
  }

  // The last success of each step counts.
  private void requireOrder(List<Integer> ended, Map<Integer, Ran> ran, List<ListedStep> listed) {
    Map<Ran, Integer> last = new HashMap<>();
    Map<Ran, Integer> first = new HashMap<>();
    for (int i = 0; i < ended.size(); i++) {
      Ran step = ran.get(ended.get(i));
      last.put(step, i);
      first.putIfAbsent(step, i);
    }
    for (ListedStep step : listed) {
      int own = first.get(new Ran("s", List.of("1")));
      for (Ran needed : stepsOf(step.all().get(0))) {
        assertThat(last.get(needed)).as("%s before s", needed).isLessThan(own);
      }
    }
    templates.forEach(
        (name, template) -> {
          for (StepNeed need : template.needs()) {
            for (Ran own : stepsOf(name)) {
              for (Ran needed : stepsOf(need.of())) {
                if (waits(need, own, needed)) {
                  assertThat(last.get(needed))
                      .as("%s, which %s needs by %s", needed, own, need)
                      .isLessThan(first.get(own));
                }
              }
            }
          }
        });
  }

  private boolean waits(StepNeed need, Ran own, Ran needed) {
    return switch (need.match()) {
      case ALL -> true;
      case ELEMENT -> own.values().equals(needed.values());
      case ARGUMENT -> value(own, need.by().get(0)).equals(value(needed, need.by().get(0)));
    };
  }

  private String value(Ran step, String argument) {
    int at = List.copyOf(templates.get(step.template()).each().keySet()).indexOf(argument);
    return step.values().get(at);
  }
}

package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.step;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs of workflows: which steps run after which, and how runs end (J-02, J-15). */
final class WorkflowRunTest {
  private final WorkflowBench bench = new WorkflowBench(64);

  @AfterEach
  void close() {
    bench.close();
  }

  private static ValueList range(int last) {
    return new ValueList(null, new ArrayRange(0, last, 1, 0));
  }

  @Test
  void stepsThatListsMakeRunWithTheirArguments() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put(
        "a",
        template(
            command("/bin/echo", "{x}-{y}"),
            ordered("x", ValueList.of(List.of("p", "q")), "y", range(2))));
    long id = bench.submit(workflow(templates));
    List<String> commands = new ArrayList<>();
    WorkflowView end =
        bench.run(
            id,
            run -> {
              commands.add(run.step() + ":" + run.command().get(1));
              return Outcome.SUCCEEDED;
            });
    assertThat(end.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(commands)
        .containsExactlyInAnyOrder("0:p-0", "1:p-1", "2:p-2", "3:q-0", "4:q-1", "5:q-2");
    assertThat(end.progress().succeeded()).isEqualTo(6);
  }

  /** J-02: what a job that is submitted by itself would be given. */
  @Test
  void jobsOfStepsAreWhatTheTemplateAndTheWorkflowSay() {
    JobSpec job =
        JobDraft.command("/bin/echo", "{workflow.night}", "{x}")
            .priority(30)
            .env(Map.of("COLOR", "red"))
            .memory("70MB")
            .spec();
    WorkflowSpec spec =
        new WorkflowSpec(
            "nightly",
            Map.of("night", "monday"),
            Map.of("a", template(job, Map.of("x", range(1)))),
            null,
            false,
            null,
            4,
            null,
            null,
            null);
    long id = bench.submit(spec);
    bench.run(id);
    JobSpec second = bench.jobs.queries.details(bench.steps.details(id, 1).job()).spec();
    assertThat(second.name()).isEqualTo("nightly/a");
    assertThat(second.command()).containsExactly("/bin/echo", "monday", "1");
    assertThat(second.priority()).isEqualTo(34);
    assertThat(second.env()).containsEntry("COLOR", "red");
    assertThat(second.memory()).isEqualTo(job.memory());
  }

  @Test
  void aTemplateWaitsForAllStepsOfAnother() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("a", template(command("/bin/a"), Map.of("x", range(299))));
    templates.put("b", template(command("/bin/b"), Map.of("x", range(9)), StepNeed.all("a")));
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(310).doesNotHaveDuplicates();
    assertThat(bench.ended.subList(300, 310)).allMatch(step -> step >= 300);
  }

  @Test
  void aStepWaitsForTheOneAtItsPosition() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("a", template(command("/bin/a"), Map.of("x", range(199))));
    templates.put(
        "b",
        template(
            command("/bin/b"),
            Map.of("y", range(199)),
            new StepNeed("a", NeedMatch.ELEMENT, null)));
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    Map<Integer, Integer> places = places();
    for (int i = 0; i < 200; i++) {
      assertThat(places.get(i)).isLessThan(places.get(200 + i));
    }
  }

  @Test
  void aStepWaitsForThoseWithItsArgument() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put(
        "a",
        template(
            command("/bin/a"),
            ordered("site", ValueList.of(List.of("p", "q", "r")), "part", range(49))));
    templates.put(
        "b",
        template(
            command("/bin/b"),
            ordered("day", range(1), "site", ValueList.of(List.of("r", "p"))),
            new StepNeed("a", null, List.of("site"))));
    long id = bench.submit(workflow(templates));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    Map<Integer, Integer> places = places();
    // Steps of b: 150 is day 0 of r, 151 day 0 of p, 152 and 153 those of day 1.
    for (int part = 0; part < 50; part++) {
      for (int day = 0; day < 2; day++) {
        assertThat(places.get(100 + part)).isLessThan(places.get(150 + 2 * day));
        assertThat(places.get(part)).isLessThan(places.get(151 + 2 * day));
      }
    }
  }

  @Test
  void listedStepsWaitForWhatTheyNeed() {
    Random random = new Random(7);
    List<ListedStep> steps = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      Integer[] needs =
          i == 0 ? new Integer[0] : random.ints(3, 0, i).boxed().distinct().toArray(Integer[]::new);
      steps.add(step("s", "v" + i, needs));
    }
    long id = bench.submit(workflow(Map.of("s", listed(command("/bin/s", "{x}")))), "", steps);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(1500).doesNotHaveDuplicates();
    Map<Integer, Integer> places = places();
    for (int i = 0; i < 1500; i++) {
      for (int need : steps.get(i).needs()) {
        assertThat(places.get(need)).isLessThan(places.get(i));
      }
    }
  }

  @Test
  void listedStepsAndListsMayNeedOneAnother() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("prepare", template(command("/bin/p"), Map.of("i", range(4))));
    templates.put("work", listed(command("/bin/w", "{x}"), StepNeed.all("prepare")));
    templates.put("extra", listed(command("/bin/e", "{x}")));
    templates.put("report", template(command("/bin/r"), Map.of(), StepNeed.all("work")));
    List<ListedStep> steps =
        List.of(
            step("work", "a"),
            step("work", "b", 6),
            new ListedStep(null, "extra", Map.of("x", "c"), List.of(0), List.of("report")));
    long id = bench.submit(workflow(templates), "", steps);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended.subList(5, 9)).containsExactly(6, 7, 5, 8);
  }

  @Test
  void allListedStepsOfATemplateStartOnceWhatItNeedsHasSucceeded() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("prepare", template(command("/bin/p"), Map.of()));
    templates.put("work", listed(command("/bin/w", "{x}"), StepNeed.all("prepare")));
    templates.put("other", listed(command("/bin/o", "{x}")));
    List<ListedStep> steps =
        List.of(step("other", "a"), step("work", "b"), step("other", "c"), step("work", "d"));
    long id = bench.submit(workflow(templates), "", steps);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    assertThat(bench.ended.subList(3, 5)).containsExactlyInAnyOrder(2, 4);
  }

  @Test
  void whatNeedsAFailedStepDoesNotRunAndTheRestDoes() {
    List<ListedStep> steps =
        List.of(
            step("s", "a"),
            step("s", "b0", 0),
            step("s", "b1", 0),
            step("s", "b2", 0),
            step("s", "c0", 0, 1),
            step("s", "c1", 0, 2),
            step("s", "c2", 0, 3),
            step("s", "d", 4, 5, 6));
    long id = bench.submit(workflow(Map.of("s", listed(command("/bin/s", "{x}")))), "", steps);
    WorkflowView end = bench.run(id, run -> run.step() == 2 ? Outcome.FAILED : Outcome.SUCCEEDED);
    assertThat(end.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(end.progress().succeeded()).isEqualTo(5);
    assertThat(end.progress().failed()).isEqualTo(1);
    assertThat(end.progress().waiting()).isEqualTo(2);
    // Resumed, only what did not succeed runs.
    bench.ended.clear();
    bench.resets.retry(id, null, false, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).containsExactly(2, 5, 7);
  }

  @Test
  void limitsHoldAndChangeWhileItRuns() {
    long id =
        bench.submit(workflow(Map.of("a", template(command("/bin/a"), Map.of("x", range(19))))));
    bench.control.limit(id, null, 3, "ann");
    for (int i = 0; i < 4; i++) {
      bench.round(run -> Outcome.SUCCEEDED);
    }
    assertThat(bench.mostAtOnce).isEqualTo(3);
    bench.control.limit(id, null, 0, "ann");
    int before = bench.ended.size();
    for (int i = 0; i < 3; i++) {
      bench.round(run -> Outcome.SUCCEEDED);
    }
    assertThat(bench.ended).hasSize(before);
    bench.control.limit(id, null, null, "ann");
    bench.control.limit(id, "a", 2, "ann");
    bench.mostAtOnce = 0;
    bench.round(run -> Outcome.SUCCEEDED);
    assertThat(bench.mostAtOnce).isEqualTo(2);
    bench.control.limit(id, "a", null, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void pausedStepsHoweverManyDoNotKeepOthersFromTheirTurn() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    for (int i = 0; i < 210; i++) {
      templates.put("t" + i, template(command("/bin/true"), Map.of()));
    }
    long paused = bench.submit(workflow(templates));
    bench.control.pause(paused, true, "ann");
    bench.run(paused);
    long other = bench.submit(workflow(Map.of("a", template(command("/bin/true"), Map.of()))));
    assertThat(bench.run(other).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.views.view(paused).progress().succeeded()).isZero();
    bench.control.pause(paused, false, "ann");
    assertThat(bench.run(paused).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void stepsOfALimitedTemplateLeaveTheRestOfTheLimitToOthers() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put(
        "few",
        new StepTemplate(command("/bin/true", "{x}"), Map.of("x", range(49)), false, List.of(), 1));
    templates.put("many", template(command("/bin/true", "{x}"), Map.of("x", range(49))));
    WorkflowSpec spec = new WorkflowSpec("w", null, templates, 6, false, null, 0, null, null, null);
    long id = bench.submit(spec);
    for (int round = 0; round < 4; round++) {
      bench.round(run -> null);
    }
    assertThat(bench.mostAtOnce).isEqualTo(6);
    // What waited for a slot counts within the limit when it waits for its turn again.
    bench.control.pause(id, true, "ann");
    bench.control.pause(id, false, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.mostAtOnce).isEqualTo(6);
  }

  @Test
  void withinTheLimitOfTheWorkflowWhatBeganEarlierGoesOnFirst() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("first", template(command("/bin/true", "{x}"), Map.of("x", range(9))));
    templates.put("second", template(command("/bin/true", "{x}"), Map.of("x", range(9))));
    WorkflowSpec spec = new WorkflowSpec("w", null, templates, 2, false, null, 0, null, null, null);
    assertThat(bench.run(bench.submit(spec)).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended.subList(0, 9)).allMatch(step -> step < 10);
  }

  @Test
  void elementsThatWaitForTheirTurnAgainLeaveLessOfTheLimitToOtherTemplates() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("few", template(command("/bin/true", "{x}"), Map.of("x", range(3))));
    templates.put("many", template(command("/bin/true", "{x}"), Map.of("x", range(49))));
    WorkflowSpec spec = new WorkflowSpec("w", null, templates, 4, false, null, 0, null, null, null);
    try (WorkflowBench small = new WorkflowBench(1)) {
      long id = small.submit(spec);
      small.round(run -> null);
      assertThat(openElements(small)).isEqualTo(4);
      small.control.pause(id, true, "ann");
      assertThat(openElements(small)).as("those that run").isEqualTo(2);
      small.control.pause(id, false, "ann");
      small.round(run -> null);
      assertThat(openElements(small)).isEqualTo(4);
    }
  }

  private static int openElements(WorkflowBench bench) {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery(
                    "select count(*) from job where array_id is not null"
                        + " and state in ('WAITING', 'PLACED', 'RUNNING')")
                .mapTo(Integer.class)
                .one());
  }

  @Test
  void aCancelledWorkflowStopsAndCanBeResumed() {
    long id =
        bench.submit(workflow(Map.of("a", template(command("/bin/a"), Map.of("x", range(199))))));
    bench.round(run -> Outcome.SUCCEEDED);
    bench.round(run -> null);
    bench.control.cancel(id, "ann");
    WorkflowView end = bench.run(id, run -> Outcome.STOPPED);
    assertThat(end.state()).isEqualTo(WorkflowState.CANCELLED);
    assertThat(end.progress().released()).as("no step is left between released and ended").isZero();
    bench.resets.retry(id, null, false, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(200).doesNotHaveDuplicates();
  }

  private Map<Integer, Integer> places() {
    Map<Integer, Integer> places = new HashMap<>();
    for (int step : bench.ended) {
      places.put(step, places.size());
    }
    return places;
  }

  private static Map<String, ValueList> ordered(
      String first, ValueList firstList, String second, ValueList secondList) {
    Map<String, ValueList> each = new LinkedHashMap<>();
    each.put(first, firstList);
    each.put(second, secondList);
    return each;
  }
}

package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StatusChange;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.StepView;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.StepBlock;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.StepQueries.StepFilter;
import io.millrace.manager.workflow.WorkflowBench.StepRun;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random graphs of which steps are reset, declared and resumed, hot and cold, at random, while two
 * central managers carry out piece after piece in turns, and ends of earlier attempts arrive late:
 * no step starts before all that it needs has succeeded, none is forgotten, and counters are what
 * states say.
 */
final class ResetRoundTest {
  private static final int OPERATIONS = 12;
  private static final int MAX_RESUMPTIONS = 40;

  private Random random;
  private RandomGraph graph;
  private List<TreeSet<Integer>> needs;
  private WorkflowBench bench;
  private long id;

  /** Steps that had been released when what they need was set back: they are left as they are. */
  private final Set<Integer> left = new HashSet<>();

  private final Set<Integer> failing = new HashSet<>();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void statesAndCountersStayRight(long seed) {
    operate(seed, ReleaseRound.MAX_TOUCHED);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
  void theyStayRightIfOpeningsTakeSeveralRounds(long seed) {
    operate(seed, (int) (seed - 10));
  }

  private void operate(long seed, int maxTouched) {
    random = new Random(seed);
    graph = new RandomGraph(random, 120);
    needs = graph.needs();
    try (WorkflowBench made = new WorkflowBench(1 + random.nextInt(30), maxTouched)) {
      bench = made;
      id = bench.submit(workflow(graph.templates), "", graph.steps);
      for (int i = 0; i < OPERATIONS; i++) {
        for (int round = random.nextInt(4); round > 0; round--) {
          bench.round(this::outcome);
        }
        operate();
        lateEnds();
        for (int piece = random.nextInt(5); piece > 0; piece--) {
          bench.piece(id, random.nextBoolean());
        }
      }
      if (maxTouched < ReleaseRound.MAX_TOUCHED) {
        resumeIfEnded();
      }
      succeedAtLast();
    }
  }

  // What is declared of an ended run starts nothing until somebody resumes the run.
  private void resumeIfEnded() {
    bench.drive();
    WorkflowView view = bench.views.view(id);
    if (view.state() == WorkflowState.SUCCEEDED && view.progress().succeeded() < graph.size()) {
      bench.status.set(id, new StatusChange(null, "failed", "a step is not done"), "ann");
    }
    WorkflowState state = bench.views.view(id).state();
    if (state == WorkflowState.FAILED || state == WorkflowState.CANCELLED) {
      bench.resets.retry(id, null, false, "ann");
    }
  }

  private void succeedAtLast() {
    WorkflowView view = bench.run(id, this::outcome);
    requireConsistent();
    for (int i = 0; view.state() != WorkflowState.SUCCEEDED; i++) {
      assertThat(i).as("resumptions until all succeed").isLessThan(MAX_RESUMPTIONS);
      assertThat(view.state().ended()).as(view.toString()).isTrue();
      bench.resets.retry(id, null, random.nextInt(4) == 0, "ann");
      view = bench.run(id, this::outcome);
      requireConsistent();
    }
    assertThat(states().values()).containsOnly(WorkflowStepState.SUCCEEDED);
    for (int step = 0; step < graph.size(); step++) {
      assertThat(failing).as("steps whose last end was a failure").doesNotContain(step);
    }
  }

  private Outcome outcome(StepRun run) {
    int step = run.step();
    Map<Integer, WorkflowStepState> states = states();
    if (!left.contains(step)) {
      for (int need : needs.get(step)) {
        assertThat(states.get(need))
            .as("state of step %d when step %d, which needs it, runs", need, step)
            .isEqualTo(WorkflowStepState.SUCCEEDED);
      }
    }
    if (random.nextInt(10) == 0) {
      // It still runs; what it needs may be set back meanwhile.
      return null;
    }
    left.remove(step);
    boolean fails = random.nextInt(25) == 0;
    if (fails) {
      failing.add(step);
    } else {
      failing.remove(step);
    }
    return fails ? Outcome.FAILED : Outcome.SUCCEEDED;
  }

  private Map<Integer, WorkflowStepState> states() {
    Map<Integer, WorkflowStepState> states = new TreeMap<>();
    Integer next = -1;
    while (next != null) {
      var page = bench.steps.list(id, new StepFilter(null, null, next, 1000));
      for (StepView step : page.steps()) {
        states.put(step.step(), step.state());
      }
      next = page.next();
    }
    return states;
  }

  private void operate() {
    Map<Integer, WorkflowStepState> before = states();
    try {
      switch (random.nextInt(7)) {
        case 0 -> bench.resets.retry(id, ResumeMode.HOT, random.nextBoolean(), "ann");
        case 1 -> bench.resets.retry(id, ResumeMode.COLD, random.nextBoolean(), "ann");
        case 2 -> bench.resets.retry(id, null, random.nextBoolean(), "ann");
        case 3, 4 ->
            bench.resets.reset(
                id, new StepReset(some(), null, random.nextBoolean(), random.nextBoolean()), "ann");
        case 5 -> declare();
        default -> bench.control.cancel(id, "ann");
      }
    } catch (MillraceException e) {
      // The state does not allow it, which is the answer that users get.
      assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      return;
    }
    before.forEach(
        (step, state) -> {
          if (state == WorkflowStepState.RELEASED) {
            left.add(step);
          }
        });
  }

  private void declare() {
    List<String> some = some();
    String to = random.nextInt(3) == 0 ? "failed" : "succeeded";
    bench.status.set(id, new StatusChange(some, to, "mended"), "ann");
    some.forEach(step -> failing.remove(Integer.parseInt(step)));
  }

  private List<String> some() {
    List<String> some = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      some.add(Integer.toString(random.nextInt(graph.size())));
    }
    return some;
  }

  // Ends of attempts of earlier epochs, of steps that run now.
  private void lateEnds() {
    ReleaseDao releases = new ReleaseDao();
    StepDao steps = new StepDao();
    bench.jobs.database.transaction(
        handle -> {
          for (StepArray array : releases.withTemplates(handle, id)) {
            states()
                .forEach(
                    (step, state) -> {
                      StepBlock block =
                          steps
                              .blocks(handle, id, Set.of(StepBlock.of(step)))
                              .get(StepBlock.of(step));
                      if (state == WorkflowStepState.RELEASED
                          && block.template(step) == array.template()
                          && !block.releasedIn(step, array.epoch())) {
                        releases.insertEnds(
                            handle,
                            array,
                            random.nextBoolean() ? JobState.SUCCEEDED : JobState.FAILED,
                            StepNumbers.pack(new int[] {step}, 1));
                      }
                    });
          }
          return null;
        });
  }

  // Sums of states, gates and unmet needs as they follow from the states.
  private void requireConsistent() {
    bench.jobs.database.read(
        handle -> {
          assertThat(new ReleaseDao().openings(handle, id, 10)).isEmpty();
          assertThat(new ResetDao().find(handle, id)).isEmpty();
          return null;
        });
    Map<Integer, WorkflowStepState> states = states();
    var progress = bench.views.view(id).progress();
    assertThat(progress.succeeded()).isEqualTo(count(states, WorkflowStepState.SUCCEEDED));
    assertThat(progress.failed()).isEqualTo(count(states, WorkflowStepState.FAILED));
    assertThat(progress.cancelled()).isEqualTo(count(states, WorkflowStepState.CANCELLED));
    assertThat(progress.released()).isEqualTo(count(states, WorkflowStepState.RELEASED));
    StepRecount.requireCounters(bench.jobs.database, id);
    bench.jobs.database.read(
        handle -> {
          for (var row : new TemplateDao().of(handle, id)) {
            List<Integer> own = graph.stepsOf(row.name());
            assertThat((long) row.succeeded)
                .as("succeeded of %s", row.name())
                .isEqualTo(
                    own.stream()
                        .filter(step -> states.get(step) == WorkflowStepState.SUCCEEDED)
                        .count());
          }
          return null;
        });
    // Whatever could start has started, or waits for something.
    states.forEach(
        (step, state) -> {
          if (state == WorkflowStepState.WAITING
              && bench.views.view(id).state() != WorkflowState.CANCELLED) {
            assertThat(needs.get(step))
                .as("what step %d, which waits in an ended run, needs", step)
                .anyMatch(need -> states.get(need) != WorkflowStepState.SUCCEEDED);
          }
        });
  }

  private static int count(Map<Integer, WorkflowStepState> states, WorkflowStepState wanted) {
    return (int) states.values().stream().filter(state -> state == wanted).count();
  }
}

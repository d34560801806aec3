package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.step;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.BreakerRule;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.StepOpening.OpeningKind;
import io.millrace.manager.workflow.StepQueries.StepFilter;
import io.millrace.manager.workflow.WorkflowBench.StepRun;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What opens for more steps than one round looks at is carried out in pieces, between which central
 * managers take turns and in the middle of which they die: no step is forgotten, none is released
 * twice, and none before all that it needs has succeeded (J-15).
 */
final class ReleasePiecesTest {
  private static final int BOUND = 50;
  private static final int MAX_ROUNDS = 300;
  private static final int MAX_PIECES = 1_000;

  private final WorkflowBench bench = new WorkflowBench(300, BOUND);
  private final Random random = new Random(5);
  private final Map<String, StepTemplate> templates = new LinkedHashMap<>();

  /** What was seen to be carried out in part. */
  private final Set<OpeningKind> parted = EnumSet.noneOf(OpeningKind.class);

  private int deaths;

  @AfterEach
  void close() {
    bench.close();
  }

  private static ValueList range(int last) {
    return new ValueList(null, new ArrayRange(0, last, 1, 0));
  }

  private static StepTemplate each(String program, Map<String, ValueList> each, StepNeed... needs) {
    return new StepTemplate(
        command(program), each, false, List.of(needs), null, BreakerRule.of("off"));
  }

  private WorkflowView run(long id, Function<StepRun, Outcome> outcomes) {
    bench.check();
    for (int i = 0; i < MAX_ROUNDS && !bench.views.view(id).state().ended(); i++) {
      pieces(id);
      bench.round(outcomes);
    }
    pieces(id);
    StepRecount.requireCounters(bench.jobs.database, id);
    return bench.views.view(id);
  }

  private void pieces(long id) {
    boolean more = true;
    for (int piece = 0; more; piece++) {
      assertThat(piece).as("rounds in a row").isLessThan(MAX_PIECES);
      if (random.nextInt(3) == 0) {
        die(id);
      }
      more = bench.piece(id, random.nextBoolean());
      bench
          .jobs
          .database
          .<List<StepOpening>, RuntimeException>read(
              handle -> new ReleaseDao().openings(handle, id, 9))
          .stream()
          .filter(opening -> opening.progress() > 0)
          .forEach(opening -> parted.add(opening.kind()));
    }
  }

  // The last of what a round writes is refused, so that nothing of it is left.
  private void die(long id) {
    change("alter table workflow add constraint dying check (released < 0) nocheck");
    try {
      bench.piece(id, random.nextBoolean());
    } catch (UnableToExecuteStatementException e) {
      deaths++;
    } finally {
      change("alter table workflow drop constraint dying");
    }
  }

  private void change(String statement) {
    bench.jobs.database.transaction(handle -> handle.execute(statement));
  }

  @Test
  void everyKindOfOpeningIsContinuedWhereItWas() {
    templates.put("give", template(command("/bin/give"), Map.of()));
    templates.put("many", each("/bin/many", Map.of("i", range(299))));
    Map<String, ValueList> both = new LinkedHashMap<>();
    both.put("i", range(1));
    both.put("j", range(149));
    templates.put("by", each("/bin/by", both, new StepNeed("many", null, List.of("i"))));
    Map<String, ValueList> given = new LinkedHashMap<>();
    given.put("f", ValueList.of(new ListSource("give.list", 2)));
    given.put("j", range(149));
    templates.put("none", each("/bin/none", given, StepNeed.all("give")));
    templates.put(
        "after",
        each(
            "/bin/after",
            Map.of("j", range(149)),
            new StepNeed("none", null, List.of("j")),
            StepNeed.all("many")));
    templates.put("s", listed(command("/bin/s", "{x}")));
    bench.outputs = step -> step == 0 ? Map.of("list", "[]") : null;
    List<ListedStep> steps = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      steps.add(step("s", "v" + i));
    }
    long id = bench.submit(workflow(templates), "", steps);

    // Steps 1 to 300 are those of many.
    WorkflowView failed =
        run(id, run -> run.step() >= 1 && run.step() <= 300 ? Outcome.FAILED : Outcome.SUCCEEDED);
    assertThat(failed.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(failed.progress().failed()).isEqualTo(300);
    assertThat(bench.ended).hasSize(301).doesNotHaveDuplicates();

    bench.resets.retry(id, null, false, "ann");
    assertThat(run(id, run -> Outcome.SUCCEEDED).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(301 + 300 + 300 + 150).doesNotHaveDuplicates();
    assertThat(parted)
        .contains(
            OpeningKind.START,
            OpeningKind.TEMPLATES_MET,
            OpeningKind.ARGUMENT,
            OpeningKind.EMPTY,
            OpeningKind.RETRY);
    assertThat(deaths).isGreaterThan(5);

    bench.ended.clear();
    bench.resets.reset(id, new StepReset(List.of("give"), "many", true, false), "ann");
    assertThat(run(id, run -> Outcome.SUCCEEDED).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(1 + 300 + 300 + 150).doesNotHaveDuplicates();
    assertThat(bench.ended.subList(0, 301))
        .as("what the others need ends before them")
        .contains(0, 1, 2);
    assertThat(parted).contains(OpeningKind.ARGUMENT_LOST, OpeningKind.EMPTY_LOST);
  }

  @Test
  void stepsThatWereKeptFromStartingStartOnceTheLastFailedOneWaitsAgain() {
    templates.put("a", each("/bin/a", Map.of("i", range(699))));
    long id =
        bench.submit(new WorkflowSpec("w", null, templates, 20, true, null, 0, null, null, null));
    WorkflowView failed = run(id, run -> run.step() % 10 == 3 ? Outcome.FAILED : Outcome.SUCCEEDED);
    assertThat(failed.state()).isEqualTo(WorkflowState.FAILED);
    bench.control.limit(id, null, null, "ann");
    bench.resets.retry(id, null, false, "ann");
    assertThat(run(id, run -> Outcome.SUCCEEDED).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(700).doesNotHaveDuplicates();
    assertThat(parted).contains(OpeningKind.RETRY, OpeningKind.SCAN);
  }

  @Test
  void listedStepsThatNeedAWholeTemplateAreReleasedOnce() {
    templates.put("a", template(command("/bin/a"), Map.of()));
    templates.put("s", listed(command("/bin/s", "{x}")));
    int count = 2 * StepNumbers.MAX_STEPS + 7;
    List<ListedStep> steps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      steps.add(new ListedStep(null, "s", Map.of("x", "v" + i), List.of(), List.of("a")));
    }
    long id = bench.submit(workflow(templates), "", steps);
    bench.drive();
    bench.control.limit(id, "s", 0, "ann");
    bench.round(run -> Outcome.SUCCEEDED);
    pieces(id);
    int[] all = IntStream.rangeClosed(1, count).toArray();
    assertThat(released(id)).containsExactlyInAnyOrder(all);

    // What is released already stays so, and is not released again.
    bench.resets.reset(id, new StepReset(List.of("0"), null, false, false), "ann");
    pieces(id);
    bench.round(run -> Outcome.SUCCEEDED);
    pieces(id);
    assertThat(released(id)).containsExactlyInAnyOrder(all);
    StepRecount.requireCounters(bench.jobs.database, id);
    assertThat(parted).contains(OpeningKind.WHOLE_TEMPLATE, OpeningKind.WHOLE_TEMPLATE_LOST);
  }

  @Test
  void nothingStartsBeforeAllThatNeedAResetStepKnowOfIt() {
    ValueList only = ValueList.of(List.of("only"));
    Map<String, ValueList> both = new LinkedHashMap<>();
    both.put("g", only);
    both.put("j", range(199));
    templates.put("a", each("/bin/a", Map.of("g", only)));
    templates.put("y", each("/bin/y", both));
    templates.put(
        "x",
        each(
            "/bin/x",
            both,
            new StepNeed("a", null, List.of("g")),
            new StepNeed("y", NeedMatch.ELEMENT, null)));
    long id = bench.submit(workflow(templates));
    // Step 0 is of a; 1 to 200 are of y, which run on; 201 to 400 are of x.
    bench.round(run -> run.step() == 0 ? Outcome.SUCCEEDED : null);
    bench.drive();
    bench.resets.reset(id, new StepReset(List.of("0"), null, false, false), "ann");
    bench.piece(id, true);
    bench.piece(id, false);
    bench.jobs.database.transaction(
        handle -> {
          ReleaseDao releases = new ReleaseDao();
          StepArray second =
              releases.withTemplates(handle, id).stream()
                  .filter(array -> array.template() == 1)
                  .findFirst()
                  .orElseThrow();
          int[] last = IntStream.rangeClosed(1, 200).toArray();
          releases.insertEnds(
              handle, second, JobState.SUCCEEDED, StepNumbers.pack(last, last.length));
          return null;
        });
    pieces(id);
    assertThat(bench.steps.list(id, new StepFilter("x", null, -1, 1_000)).steps())
        .hasSize(200)
        .allMatch(step -> step.state() == WorkflowStepState.WAITING);
    assertThat(parted).contains(OpeningKind.ARGUMENT_LOST);
    assertThat(run(id, run -> Outcome.SUCCEEDED).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  /** The released steps without a job. */
  private int[] released(long id) {
    return bench
        .jobs
        .database
        .<List<byte[]>, RuntimeException>read(
            handle ->
                handle
                    .createQuery(
                        "select numbers from released_step where array_id in"
                            + " (select array_id from workflow_array where workflow_id = ?)")
                    .bind(0, id)
                    .mapTo(byte[].class)
                    .list())
        .stream()
        .flatMapToInt(numbers -> IntStream.of(StepNumbers.unpack(numbers)))
        .toArray();
  }
}

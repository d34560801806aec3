package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Released steps without a job that wait again, with all that is counted of them (J-17). */
final class WithdrawnStepsTest {
  private static final int STEPS = 300;

  private final WorkflowBench bench = new WorkflowBench(16);

  @AfterEach
  void close() {
    bench.close();
  }

  // Steps 0 to 299 of a and 300 to 599 of b, of which two and three run at the same time.
  private static WorkflowSpec limited(String program, boolean failFast) {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("a", template(program, 2));
    templates.put("b", template(program, 3));
    return new WorkflowSpec("w", null, templates, null, failFast, null, 0, null, null, null);
  }

  private static StepTemplate template(String program, int most) {
    ValueList each = new ValueList(null, new ArrayRange(0, STEPS - 1, 1, 0));
    return new StepTemplate(command(program), Map.of("i", each), false, List.of(), most);
  }

  private long begun(boolean failFast) {
    long id = bench.submit(limited("/bin/old", failFast));
    bench.round(run -> null);
    assertThat(bench.views.view(id).progress().released()).isEqualTo(2 * STEPS);
    StepRecount.requireCounters(bench.jobs.database, id);
    return id;
  }

  @Test
  void aCancellationTakesBackWhatHasNoJob() {
    long id = begun(false);
    bench.control.cancel(id, "ann");
    bench.drive();
    assertThat(bench.views.view(id).progress().released()).as("what runs").isEqualTo(5);
    StepRecount.requireCounters(bench.jobs.database, id);

    WorkflowView end = bench.run(id, run -> Outcome.STOPPED);
    assertThat(end.state()).isEqualTo(WorkflowState.CANCELLED);
    assertThat(end.progress().cancelled()).isEqualTo(5);
    assertThat(end.progress().waiting()).isEqualTo(2 * STEPS - 5);
    StepRecount.requireCounters(bench.jobs.database, id);
    assertThat(bench.steps.details(id, 299).step().state()).isEqualTo(WorkflowStepState.WAITING);

    bench.control.limit(id, "a", null, "ann");
    bench.control.limit(id, "b", null, "ann");
    bench.resets.retry(id, null, false, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(2 * STEPS).doesNotHaveDuplicates();
    StepRecount.requireCounters(bench.jobs.database, id);
  }

  @Test
  void aFirstFailureTakesBackWhatHasNoJob() {
    long id = begun(true);
    bench.round(run -> run.step() == 0 ? Outcome.FAILED : null);
    bench.drive();
    StepRecount.requireCounters(bench.jobs.database, id);
    WorkflowView end = bench.run(id);
    assertThat(end.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(end.progress().failed()).isEqualTo(1);
    assertThat(bench.ended).doesNotHaveDuplicates().hasSizeLessThan(10);
    StepRecount.requireCounters(bench.jobs.database, id);
  }

  @Test
  void aColdResetOfATemplateTakesBackWhatHasNoJobEvenIfNothingOfItMayStart() {
    long id = begun(false);
    bench.control.limit(id, "a", 0, "ann");
    bench.resets.reset(id, new StepReset(null, "a", false, true), "ann");
    bench.drive();
    StepRecount.requireCounters(bench.jobs.database, id);
    bench.round(run -> run.step() < STEPS ? Outcome.STOPPED : null);
    bench.drive();
    assertThat(
            bench.jobs.database.<Boolean, RuntimeException>read(
                handle -> new ResetDao().find(handle, id).isPresent()))
        .as("whether it is still being carried out")
        .isFalse();
    StepRecount.requireCounters(bench.jobs.database, id);
    bench.control.limit(id, "a", null, "ann");
    bench.control.limit(id, "b", null, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(2 * STEPS).doesNotHaveDuplicates();
  }

  @Test
  void aChangedFileTakesBackAllThatHasNoJobHoweverManyRoundsThatTakes() {
    ValueList each = new ValueList(null, new ArrayRange(0, 24_999, 1, 0));
    Map<String, StepTemplate> old =
        Map.of("a", new StepTemplate(command("/bin/old"), Map.of("i", each), false, List.of(), 0));
    Map<String, StepTemplate> changed =
        Map.of("a", new StepTemplate(command("/bin/new"), Map.of("i", each), false, List.of(), 0));
    long id = bench.submit(WorkflowBench.workflow(old));
    bench.drive();
    List<Long> before = arrays(id);
    assertThat(waiting(before)).isEqualTo(25_000);
    bench.binding.begin(
        "ann",
        new WorkflowSubmission(WorkflowBench.workflow(changed), "", 0, null),
        ResumeMode.HOT);
    bench.drive();
    assertThat(waiting(before)).as("steps that would run what the old file says").isZero();
    assertThat(waiting(arrays(id))).isEqualTo(25_000);
    StepRecount.requireCounters(bench.jobs.database, id);
  }

  private List<Long> arrays(long id) {
    return bench.jobs.database.read(handle -> new ReleaseDao().arraysOf(handle, id));
  }

  private long waiting(List<Long> arrays) {
    return bench
        .jobs
        .database
        .<Map<Long, Long>, RuntimeException>read(handle -> new ReleaseDao().waiting(handle, arrays))
        .values()
        .stream()
        .mapToLong(steps -> steps)
        .sum();
  }

  @Test
  void aChangedFileTakesBackWhatHasNoJobAndEachStepRunsOnce() {
    long id = begun(false);
    bench.binding.begin(
        "ann", new WorkflowSubmission(limited("/bin/new", false), "", 0, null), ResumeMode.HOT);
    bench.drive();
    StepRecount.requireCounters(bench.jobs.database, id);
    bench.control.limit(id, "a", null, "ann");
    bench.control.limit(id, "b", null, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(2 * STEPS).doesNotHaveDuplicates();
    StepRecount.requireCounters(bench.jobs.database, id);
  }
}

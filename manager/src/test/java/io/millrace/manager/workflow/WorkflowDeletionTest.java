package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.ListSource;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.ResetDao.ResetKind;
import io.millrace.manager.workflow.ResetDao.ResetRow;
import io.millrace.manager.workflow.StepOpening.OpeningKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is deleted of workflows, and what stays (J-17). */
final class WorkflowDeletionTest {
  private final WorkflowBench bench = new WorkflowBench(16);

  @AfterEach
  void close() {
    bench.close();
  }

  /** Submits the same graph, which has rows in most tables; a step of it fails. */
  private long failed(String runKey) {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("give", template(command("/bin/give"), Map.of()));
    templates.put(
        "each",
        template(
            command("/bin/each", "{f}"),
            Map.of("f", ValueList.of(new ListSource("give.list", 3))),
            StepNeed.all("give")));
    templates.put(
        "many", template(command("/bin/many"), Map.of("i", range(0, 3), "j", range(0, 1))));
    templates.put(
        "by",
        template(
            command("/bin/by"),
            Map.of("i", range(0, 3)),
            new StepNeed("many", null, List.of("i"))));
    templates.put("s", listed(command("/bin/s", "{x}")));
    bench.outputs = step -> step == 0 ? Map.of("list", "a,b") : null;
    List<ListedStep> steps =
        List.of(
            new ListedStep("one", "s", Map.of("x", "1"), List.of(), List.of("many")),
            new ListedStep("two", "s", Map.of("x", "2"), List.of(0), null));
    long id = bench.submit(workflow(templates), runKey, steps);
    bench.drive();
    bench.control.pause(id, true, "ann");
    bench.control.pause(id, false, "ann");
    bench.run(id, run -> run.step() == 1 ? Outcome.FAILED : Outcome.SUCCEEDED);
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.FAILED);
    bench.status.archive(id, true, "ann");
    return id;
  }

  // What an end in the middle of something may leave.
  private void leave(long id) {
    bench.jobs.database.transaction(
        handle -> {
          ReleaseDao releases = new ReleaseDao();
          StepArray array = releases.withTemplates(handle, id).get(0);
          releases.insertOpenings(handle, id, List.of(StepOpening.of(OpeningKind.SCAN, 0, 0)));
          releases.insertEnds(handle, array, JobState.FAILED, StepNumbers.pack(new int[] {0}, 1));
          releases.insertReleased(handle, array.array(), StepNumbers.pack(new int[] {0}, 1));
          new ResetDao()
              .insert(
                  handle,
                  new ResetRow(id, ResetKind.STEPS, false, 1, "ann"),
                  StepNumbers.pack(new int[] {0}, 1));
          new TemplateBreakerDao()
              .write(handle, id, 0, TemplateBreaker.fresh(bench.jobs.database.now()));
          new WorkflowSubmissionDao().remember(handle, id, "key", SubmissionOutcome.RESUMED);
          return null;
        });
  }

  private static ValueList range(int first, int last) {
    return new ValueList(null, new ArrayRange(first, last, 1, 0));
  }

  @Test
  void deletionLeavesNoRowOfTheWorkflowAndEveryRowOfTheOther() {
    long deleted = failed("1");
    long kept = failed("2");
    leave(deleted);
    leave(kept);
    Map<String, Integer> others = WorkflowTables.rowsOf(bench.jobs.database, kept);
    assertThat(WorkflowTables.rowsOf(bench.jobs.database, deleted)).isEqualTo(others);
    assertThat(others)
        .as("rows by table, so that each table is tested")
        .containsKeys("workflow", "workflow_state", "released_step", "step_end")
        .allSatisfy((table, rows) -> assertThat(rows).as(table).isPositive());

    bench.control.delete(deleted);
    assertThat(WorkflowTables.rowsOf(bench.jobs.database, deleted))
        .allSatisfy((table, rows) -> assertThat(rows).as(table).isZero());
    assertThat(WorkflowTables.rowsOf(bench.jobs.database, kept)).isEqualTo(others);
  }

  @Test
  void theSameWorkflowMayBeSubmittedAnewWhileTheOldOneIsBeingDeleted() {
    Map<String, StepTemplate> templates =
        Map.of("a", template(command("/bin/a"), Map.of("i", range(0, 19))));
    long old = bench.submit(workflow(templates));
    bench.control.limit(old, null, 1, "ann");
    bench.round(run -> Outcome.FAILED);
    bench.control.cancel(old, "ann");
    bench.run(old, run -> Outcome.STOPPED);
    bench.jobs.database.transaction(
        handle -> {
          // So many that they are not deleted at once.
          WorkflowEventDao events = new WorkflowEventDao();
          for (int i = 0; i < 600; i++) {
            events.add(handle, old, "ann", "event " + i, bench.jobs.database.now());
          }
          return null;
        });
    boolean more =
        bench.jobs.database.<Boolean, RuntimeException>transaction(
            handle -> bench.control.deleteSome(handle, old));
    assertThat(more).isTrue();

    long anew = bench.submit(workflow(templates));
    assertThat(anew).isNotEqualTo(old);
    bench.round(run -> Outcome.SUCCEEDED);
    Map<String, Integer> rows = WorkflowTables.rowsOf(bench.jobs.database, anew);
    bench.control.delete(old);
    assertThat(WorkflowTables.rowsOf(bench.jobs.database, anew)).isEqualTo(rows);
    assertThat(bench.submit(workflow(templates))).as("it is still recognised").isEqualTo(anew);
    assertThat(bench.run(anew).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThatThrownBy(() -> bench.views.view(old)).hasMessageContaining(Long.toString(old));
  }

  @Test
  void theNewestThousandEventsAreKept() {
    Map<String, StepTemplate> templates = Map.of("a", template(command("/bin/a"), Map.of()));
    long id = bench.submit(workflow(templates), "1", List.of());
    long other = bench.submit(workflow(templates), "2", List.of());
    bench.control.pause(other, true, "bob");
    WorkflowEventDao events = new WorkflowEventDao();
    bench.jobs.database.transaction(
        handle -> {
          for (int i = 1; i <= WorkflowEventDao.MAX; i++) {
            events.add(handle, id, "ann", "event " + i, bench.jobs.database.now());
          }
          return null;
        });
    assertThat(WorkflowEventDao.MAX).isEqualTo(1_000);
    assertThat(words(id)).hasSize(1_000).startsWith("event 1").endsWith("event 1000");

    bench.control.pause(id, true, "ann");
    assertThat(words(id)).hasSize(1_000).startsWith("event 2").endsWith("event 1000", "paused it");
    assertThat(words(other)).containsExactly("paused it");
  }

  private List<String> words(long id) {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery("select words from workflow_event where workflow_id = ? order by id")
                .bind(0, id)
                .mapTo(String.class)
                .list());
  }
}

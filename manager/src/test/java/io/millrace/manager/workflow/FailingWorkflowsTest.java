package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.listed;
import static io.millrace.manager.workflow.WorkflowBench.step;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Dependency;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.notification.Notification;
import io.millrace.api.notification.Notification.Occasion;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.StepNumbers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes wrong with one workflow does not concern the others (J-15). */
final class FailingWorkflowsTest {
  private static final Instant LONG_AGO = Instant.parse("2020-01-01T00:00:00Z");

  private final WorkflowBench bench = new WorkflowBench(16);

  @AfterEach
  void close() {
    bench.close();
  }

  private static WorkflowSpec named(String name, JobSpec onSuccess, JobSpec onFailure) {
    // In this order, which numbers the steps.
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("a", template(command("x"), Map.of()));
    templates.put("b", template(command("x"), Map.of(), StepNeed.all("a")));
    return new WorkflowSpec(
        name, null, templates, null, false, null, 0, onFailure, onSuccess, null);
  }

  private void change(String statement, Object... values) {
    bench.jobs.database.transaction(handle -> handle.execute(statement, values));
  }

  private int count(String query) {
    return bench.jobs.database.read(handle -> handle.createQuery(query).mapTo(Integer.class).one());
  }

  @Test
  void aWorkflowThatCannotBeDrivenOnLeavesTheOthersAloneAndGoesOnOnceItCan() {
    long bad = bench.submit(named("bad", null, null));
    bench.drive();
    for (int i = 0; i < 150; i++) {
      change(
          "insert into workflow_opening (workflow_id, kind, target, combination, progress)"
              + " values (?, 'BROKEN', 0, 0, 0)",
          bad);
    }
    long good = bench.submit(named("good", null, null));

    assertThat(bench.run(good).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.views.view(bad).state()).isEqualTo(WorkflowState.RUNNING);

    change("delete from workflow_opening where kind = 'BROKEN'");
    for (int run = 0; run < 3 * FailingWorkflows.MOST_RUNS; run++) {
      bench.round(step -> Outcome.SUCCEEDED);
    }
    assertThat(bench.views.view(bad).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void graphsThatCannotBeCheckedLeaveTheOthersAlone() {
    List<Long> bad = new ArrayList<>();
    WorkflowSpec definition = workflow(Map.of("s", listed(command("/bin/s", "{x}"))));
    for (int i = 0; i < 12; i++) {
      bad.add(bench.submit(definition, "run" + i, List.of(step("s", "v"))));
    }
    change("delete from workflow_step");
    long good = bench.submit(named("good", null, null));

    assertThat(bench.run(good).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bad).allMatch(one -> bench.views.view(one).state() == WorkflowState.CHECKING);
  }

  @Test
  void aWorkflowThatCannotBeWatchedLeavesTheOthersAlone() {
    Notification notify =
        new Notification(
            EnumSet.of(Occasion.HUNG), null, "https://example.org/hook", null, Duration.ofHours(1));
    List<Long> ids = new ArrayList<>();
    for (String name : List.of("bad", "slow")) {
      ids.add(
          bench.submit(
              new WorkflowSpec(
                  name,
                  null,
                  Map.of("a", template(command("x"), Map.of())),
                  null,
                  false,
                  null,
                  0,
                  null,
                  null,
                  notify)));
    }
    bench.drive();
    change("update workflow set started_at = null where id = ?", ids.get(0));
    change(
        "update workflow set started_at = ? where id = ?",
        bench.jobs.database.now().minus(Duration.ofHours(2)),
        ids.get(1));
    bench.restartWatch();
    bench.drive();

    assertThat(
            bench.jobs.database.<List<String>, RuntimeException>read(
                handle ->
                    handle
                        .createQuery("select content from subject_notice")
                        .mapTo(String.class)
                        .list()))
        .singleElement()
        .asString()
        .contains("HUNG", "\"slow\"");
  }

  @Test
  void aWorkflowThatFailsIsTriedAgainEverLessOften() {
    FailingWorkflows failing = new FailingWorkflows("test");
    AtomicInteger tries = new AtomicInteger();
    for (int run = 0; run < 100; run++) {
      failing.nextRun();
      for (int i = 0; i < 2; i++) {
        failing.attempt(
            1,
            () -> {
              tries.incrementAndGet();
              throw new IllegalStateException("broken");
            });
      }
      assertThat(failing.postponed()).containsExactly(1L);
      assertThat(failing.attempt(2, () -> true)).isTrue();
    }
    // After 1, 2, 4, 8 and 16 runs, then every 16 runs.
    assertThat(tries).hasValue(10);
  }

  @Test
  void whatConcernsAllWorkflowsEndsTheRun() {
    FailingWorkflows failing = new FailingWorkflows("test");
    assertThatThrownBy(
            () ->
                failing.attempt(
                    1,
                    () -> {
                      throw new MillraceException(ErrorCode.UNAVAILABLE, "no connection");
                    }))
        .hasMessage("no connection");
    assertThatThrownBy(
            () ->
                failing.attempt(
                    1,
                    () -> {
                      throw new IllegalStateException("ended", new InterruptedException());
                    }))
        .hasMessage("ended");
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(
              () ->
                  failing.attempt(
                      1,
                      () -> {
                        throw new IllegalStateException("interrupted");
                      }))
          .hasMessage("interrupted");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(failing.postponed()).isEmpty();
  }

  static Stream<JobDraft> refusedLater() {
    return Stream.of(
        JobDraft.command("tell").deadline(LONG_AGO),
        JobDraft.command("tell").single("held"),
        JobDraft.command("tell").after(List.of(new Dependency(987_654L, Dependency.End.OK))));
  }

  @ParameterizedTest
  @MethodSource("refusedLater")
  void theRefusalOfTheFollowingJobDoesNotUndoTheEnd(JobDraft job) {
    bench.jobs.submit(JobDraft.command("holder").single("held").hold(true).spec());
    int jobs = count("select count(*) from job");
    long bad = bench.submit(named("bad", null, null));
    // As it may have been stored by an earlier release.
    WorkflowSpec stored = named("bad", job.spec(), job.spec());
    change("update workflow_revision set spec = ? where workflow_id = ?", Json.write(stored), bad);

    WorkflowView succeeded = bench.run(bad);

    assertThat(succeeded.state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(succeeded.reason()).startsWith("its onSuccess job was refused: ");
    assertThat(bench.views.details(bad).events())
        .anyMatch(event -> event.event().equals(succeeded.reason()));
    // Two arrays and their elements, and nothing else.
    assertThat(count("select count(*) from job")).isEqualTo(jobs + 4);
  }

  @Test
  void theEndOfAFailedRunNamesTheRefusalAfterItsCounts() {
    long bad = bench.submit(named("bad", null, null));
    WorkflowSpec stored = named("bad", null, JobDraft.command("tell").deadline(LONG_AGO).spec());
    change("update workflow_revision set spec = ? where workflow_id = ?", Json.write(stored), bad);

    WorkflowView failed = bench.run(bad, step -> Outcome.FAILED);

    assertThat(failed.state()).isEqualTo(WorkflowState.FAILED);
    assertThat(failed.reason())
        .startsWith("0 of 2 steps succeeded, 1 failed")
        .contains("; its onFailure job was refused: ");
  }

  @ParameterizedTest
  @MethodSource("neverPossible")
  void aFollowingJobThatCannotWorkIsRefusedWithItsPlace(String field, JobDraft job) {
    assertThatThrownBy(() -> bench.submit(named("w", job.spec(), null)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_DEFINITION))
        .hasMessageStartingWith("onSuccess: ")
        .hasMessageContaining(field);
    assertThatThrownBy(() -> bench.submit(named("w", null, job.spec())))
        .hasMessageStartingWith("onFailure: ")
        .hasMessageContaining(field);
  }

  static Stream<Object[]> neverPossible() {
    JobDraft tell = JobDraft.command("tell");
    return Stream.of(
        new Object[] {"single", tell.single("s")},
        new Object[] {"deadline", JobDraft.command("tell").deadline(LONG_AGO)},
        new Object[] {"notBefore", JobDraft.command("tell").notBefore(LONG_AGO)},
        new Object[] {
          "after", JobDraft.command("tell").after(List.of(new Dependency(1L, Dependency.End.OK)))
        },
        new Object[] {"array", JobDraft.command("tell").array(new ArrayRange(0, 3, 1, 0))},
        new Object[] {"restart", JobDraft.command("tell").restart(true)},
        new Object[] {
          "secrets.MILLRACE_WORKFLOW",
          JobDraft.command("tell").secrets(Map.of("MILLRACE_WORKFLOW", "x"))
        });
  }

  @Test
  void aSumOfPrioritiesThatNoJobMayHaveIsRefusedWithItsPlace() {
    JobSpec highest = JobDraft.command("x").priority(1_000_000).spec();
    Map<String, StepTemplate> templates = Map.of("a", template(highest, Map.of()));
    for (int priority : List.of(1, Integer.MAX_VALUE)) {
      assertThatThrownBy(
              () ->
                  bench.submit(
                      new WorkflowSpec(
                          "w", null, templates, null, false, null, priority, null, null, null)))
          .hasMessageStartingWith("templates.a.job: priority: 1000000 and")
          .hasMessageContaining(Long.toString(1_000_000L + priority));
    }
    long allowed =
        bench.submit(
            new WorkflowSpec("w", null, templates, null, false, null, -1, null, null, null));
    assertThat(bench.run(allowed).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void aStoredPriorityThatNoJobMayHaveCountsAsTheHighestAndIsShown() {
    long id = bench.submit(named("old", null, null));
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("a", template(JobDraft.command("x").priority(1_000_000).spec(), Map.of()));
    templates.put("b", template(command("x"), Map.of(), StepNeed.all("a")));
    // As an earlier release stored it.
    WorkflowSpec stored =
        new WorkflowSpec(
            "old", null, templates, null, false, null, Integer.MAX_VALUE, null, null, null);
    change("update workflow_revision set spec = ? where workflow_id = ?", Json.write(stored), id);
    bench.round(step -> null);

    assertThat(bench.views.details(id).warnings())
        .hasSize(2)
        .contains(
            "'a' has priority 2148483647, which counts as 1000000: priorities are from -1000000 to"
                + " 1000000");
    assertThat(bench.jobs.queries.details(bench.steps.details(id, 0).job()).job().priority())
        .isEqualTo(1_000_000);
  }

  @Test
  void whatIsLeftOfADeletedWorkflowIsDeletedToo() {
    long gone = 4711;
    change(
        "insert into workflow_opening (workflow_id, kind, target, combination, progress)"
            + " values (?, 'START', 0, 0, 0)",
        gone);
    change(
        "insert into step_end (workflow_id, array_id, state, numbers) values (?, 1, 'DONE', ?)",
        gone,
        StepNumbers.packWhole(new int[] {1}));
    change(
        "insert into workflow_reset (workflow_id, kind, ending, revision, actor)"
            + " values (?, 'STEPS', false, 1, 'ann')",
        gone);
    long good = bench.submit(named("good", null, null));

    assertThat(bench.run(good).state()).isEqualTo(WorkflowState.SUCCEEDED);
    for (String table : Set.of("workflow_opening", "step_end", "workflow_reset")) {
      assertThat(count("select count(*) from " + table)).as(table).isZero();
    }
  }
}

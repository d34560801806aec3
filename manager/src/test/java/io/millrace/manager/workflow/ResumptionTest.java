package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.BreakerRule;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StatusChange;
import io.millrace.api.workflow.StepChunk.ListedStep;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowEvent;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowSpec.NeedMatch;
import io.millrace.api.workflow.WorkflowSpec.StepNeed;
import io.millrace.api.workflow.WorkflowSpec.StepTemplate;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.manager.graph.StepNumbers;
import io.millrace.manager.graph.StepNumbers.Packed;
import io.millrace.manager.job.JobBench;
import io.millrace.manager.workflow.ReleaseDao.StepArray;
import io.millrace.manager.workflow.WorkflowBench.StepRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Resuming workflows hot and cold, setting steps back and declaring their ends (J-17). */
final class ResumptionTest {
  private final WorkflowBench bench = new WorkflowBench(100);
  private final List<Integer> started = new ArrayList<>();

  @AfterEach
  void close() {
    bench.close();
  }

  // Steps 0 to 9 are of a, 10 of b, which needs them all.
  private static WorkflowSpec definition(String program, boolean failFast) {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put(
        "a",
        template(
            command(program, "{i}"), Map.of("i", new ValueList(null, new ArrayRange(0, 9, 1, 0)))));
    templates.put("b", template(command("/bin/b"), Map.of(), StepNeed.all("a")));
    return new WorkflowSpec("w", null, templates, null, failFast, null, 0, null, null, null);
  }

  /** Even steps of a run on, 1 fails, the other odd ones succeed. */
  private Outcome half(StepRun run) {
    started.add(run.step());
    return run.step() == 1 ? Outcome.FAILED : run.step() % 2 == 0 ? null : Outcome.SUCCEEDED;
  }

  private Outcome good(StepRun run) {
    started.add(run.step());
    return Outcome.SUCCEEDED;
  }

  private long halfRun(boolean failFast) {
    long id = bench.submit(definition("/bin/a", failFast));
    while (bench.views.view(id).progress().failed() == 0) {
      bench.round(this::half);
      bench.drive();
    }
    started.clear();
    return id;
  }

  @Test
  void aRunningOneIsRefusedWithBothWays() {
    long id = halfRun(false);
    assertThatThrownBy(() -> bench.resets.retry(id, null, false, "ann"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContainingAll("--hot", "--cold");
  }

  private SubmissionOutcome again(WorkflowSpec definition, ResumeMode mode) {
    return bench
        .binding
        .begin("ann", new WorkflowSubmission(definition, "", 0, null), mode)
        .view()
        .outcome();
  }

  @Test
  void aDefinitionWhoseSubmissionWasRolledBackIsNotUsedLater() {
    long id = bench.submit(definition("/bin/a", false));
    bench.run(id, step -> Outcome.FAILED);
    assertThatThrownBy(
            () ->
                bench.jobs.database.transaction(
                    handle -> {
                      WorkflowSpec lost = definition("/bin/lost", false);
                      bench.binding.beginOrAdopt(
                          handle, "ann", new WorkflowSubmission(lost, "", 0, null));
                      throw new IllegalStateException("the commit fails");
                    }))
        .hasMessage("the commit fails");

    assertThat(again(definition("/bin/corrected", false), null))
        .isEqualTo(SubmissionOutcome.RESUMED);
    Set<String> programs = new TreeSet<>();
    bench.run(
        id,
        step -> {
          programs.add(step.command().get(0));
          return Outcome.SUCCEEDED;
        });
    assertThat(programs).containsExactly("/bin/b", "/bin/corrected");
  }

  @Test
  void theAnswerToASubmissionSaysWhatItDid() {
    WorkflowSpec definition = definition("/bin/a", false);
    assertThat(again(definition, null)).isEqualTo(SubmissionOutcome.CREATED);
    assertThat(again(definition, null)).isEqualTo(SubmissionOutcome.UNCHANGED);
    bench.drive();
    assertThat(again(definition, null)).isEqualTo(SubmissionOutcome.UNCHANGED);
    assertThat(again(definition, ResumeMode.HOT)).isEqualTo(SubmissionOutcome.RESUMED);
    bench.run(1, run -> Outcome.FAILED);
    assertThat(again(definition, null)).isEqualTo(SubmissionOutcome.RESUMED);
    assertThat(bench.views.view(1).outcome()).isNull();
    bench.run(1);
    assertThat(
            bench
                .jobs
                .database
                .transaction(
                    handle ->
                        bench.binding.beginOrAdopt(
                            handle, "ann", new WorkflowSubmission(definition, "", 0, null)))
                .view()
                .outcome())
        .isEqualTo(SubmissionOutcome.UNCHANGED);
  }

  @Test
  void anInterruptedSubmissionIsContinued() {
    WorkflowGraph graph = new WorkflowGraph("listed");
    graph.step("one", graph.template("t", command("/bin/t")), Map.of());
    assertThat(bench.binding.begin("ann", graph.submission("")).view().outcome())
        .isEqualTo(SubmissionOutcome.CREATED);
    assertThat(bench.binding.begin("ann", graph.submission("")).view().outcome())
        .isEqualTo(SubmissionOutcome.CONTINUED);
  }

  @Test
  void hotLeavesWhatRuns() {
    long id = halfRun(false);
    bench.resets.retry(id, ResumeMode.HOT, false, "ann");
    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.ended).hasSize(11).doesNotHaveDuplicates();
    // What ran reports its end; only the failed one starts again.
    assertThat(started).containsOnlyOnce(0, 1, 2, 4, 6, 8, 10).hasSize(7);
  }

  @Test
  void coldEndsWhatRunsFirst() {
    long id = halfRun(false);
    WorkflowView view = bench.resets.retry(id, ResumeMode.COLD, false, "ann");
    assertThat(view.state()).isEqualTo(WorkflowState.CANCELLING);
    bench.round(run -> Outcome.STOPPED);
    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(started).containsOnlyOnce(0, 1, 2, 4, 6, 8, 10).hasSize(7);
  }

  @Test
  void aSubmissionOfWhatIsBeingCancelledIsRefusedUntilThatHasEnded() {
    long id = halfRun(false);
    bench.control.cancel(id, "ann");
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.CANCELLING);
    for (ResumeMode mode : Arrays.asList(null, ResumeMode.HOT, ResumeMode.COLD)) {
      assertThatThrownBy(() -> again(definition("/bin/a", false), mode))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
          .hasMessage(
              "workflow %d (w) is being cancelled: submit again when it has ended".formatted(id));
    }
    bench.run(id, run -> Outcome.STOPPED);
    assertThat(again(definition("/bin/a", false), null)).isEqualTo(SubmissionOutcome.RESUMED);
  }

  @Test
  void aSubmissionWhileWhatRunsIsEndedFirstMayOnlyRepeatTheOneThatAskedForIt() {
    halfRun(false);
    WorkflowSpec corrected = definition("/bin/corrected", false);
    assertThat(again(corrected, ResumeMode.COLD)).isEqualTo(SubmissionOutcome.RESUMED);
    assertThat(again(corrected, ResumeMode.COLD)).isEqualTo(SubmissionOutcome.UNCHANGED);
    assertThatThrownBy(() -> again(definition("/bin/other", false), ResumeMode.COLD))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("steps of it are being reset");
  }

  @Test
  void aCancellationEndsAColdResumption() {
    long id = halfRun(false);
    bench.resets.retry(id, ResumeMode.COLD, false, "ann");
    bench.control.cancel(id, "bob");
    WorkflowView view = bench.run(id, run -> Outcome.STOPPED);
    assertThat(view.state()).isEqualTo(WorkflowState.CANCELLED);
    assertThat(view.reason()).contains("bob");
  }

  @Test
  void aFailFastRunIsResumed() {
    long id = halfRun(true);
    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.FAILED);
    bench.resets.retry(id, null, false, "ann");
    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void aHotResumptionOfAFailFastRunLeavesAStepThatIsTriedAgain() {
    StepTemplate tried =
        template(
            WorkflowBench.retried(1, "/bin/a", "{i}"),
            Map.of("i", new ValueList(null, new ArrayRange(0, 3, 1, 0))));
    long id =
        bench.submit(
            new WorkflowSpec("w", null, Map.of("a", tried), null, true, null, 0, null, null, null));
    while (bench.views.view(id).progress().failed() == 0) {
      bench.round(run -> run.step() == 1 ? Outcome.FAILED : null);
      bench.drive();
    }
    bench.resets.retry(id, ResumeMode.HOT, false, "ann");
    List<AttemptId> attempts = new ArrayList<>(bench.jobs.recorded(JobBench.E1));
    attempts.addAll(bench.jobs.recorded(JobBench.E2));
    // The first of its two attempts, before the resumption is carried out.
    bench.jobs.end(attempts.get(0), Outcome.FAILED, 1);

    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void aChangedFileIsAppliedHot() {
    WorkflowSpec paused = definition("/bin/a", false);
    long id = bench.submit(paused);
    bench.drive();
    bench.control.limit(id, null, 0, "ann");
    bench.drive();
    bench.binding.begin(
        "ann",
        new WorkflowSubmission(definition("/bin/other", false), "", 0, null),
        ResumeMode.HOT);
    bench.control.limit(id, null, null, "ann");
    List<String> programs = new ArrayList<>();
    bench.run(
        id,
        run -> {
          programs.add(run.command().get(0));
          return Outcome.SUCCEEDED;
        });
    assertThat(bench.views.view(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(programs).doesNotContain("/bin/a").contains("/bin/other");
  }

  @Test
  void aResetStepRunsAgainAlone() {
    long id = bench.submit(definition("/bin/a", false));
    bench.run(id, this::good);
    started.clear();
    bench.resets.reset(id, new StepReset(List.of("a[3]"), null, false, false), "ann");
    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(started).containsExactly(3);
    started.clear();
    bench.resets.reset(id, new StepReset(List.of("3"), null, true, false), "ann");
    bench.run(id, this::good);
    assertThat(started).containsExactly(3, 10);
    assertThat(bench.steps.details(id, 3).events())
        .extracting(WorkflowEvent::event)
        .containsExactly("reset step 3", "reset step 3 and 1 step below");
  }

  private List<Integer> stopped() {
    return bench.jobs.database.read(
        handle ->
            handle
                .createQuery(
                    "select array_index from job where cancel_reason is not null"
                        + " and array_id is not null order by array_index")
                .mapTo(Integer.class)
                .list());
  }

  @Test
  void aColdResetOfManyStepsEndsTheOnesThatRunWhereverTheyAre() {
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("g", template(command("/bin/g"), Map.of()));
    templates.put("s", WorkflowBench.listed(command("/bin/s", "{x}")));
    int last = 2_500;
    List<ListedStep> steps = new ArrayList<>();
    for (int i = 1; i < last; i++) {
      steps.add(WorkflowBench.step("s", "v" + i, 0));
    }
    steps.add(WorkflowBench.step("s", "last"));
    long id = bench.submit(WorkflowBench.workflow(templates), "", steps);
    bench.round(run -> null);
    bench.resets.reset(id, new StepReset(null, "s", false, true), "ann");
    bench.drive();
    assertThat(stopped()).containsExactly(last);
    bench.round(run -> run.step() == last ? Outcome.STOPPED : null);
    bench.drive();
    bench.round(
        run -> {
          started.add(run.step());
          return null;
        });
    assertThat(started).as("what runs after the reset").containsExactlyInAnyOrder(0, last);
  }

  @Test
  void aStepAtTheSamePositionWaitsForTheOneThatIsReset() {
    Map<String, ValueList> each = Map.of("i", new ValueList(null, new ArrayRange(0, 3, 1, 0)));
    Map<String, StepTemplate> templates = new LinkedHashMap<>();
    templates.put("a", template(command("/bin/a"), each));
    templates.put(
        "b", template(command("/bin/b"), each, new StepNeed("a", NeedMatch.ELEMENT, null)));
    long id = bench.submit(WorkflowBench.workflow(templates));
    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.SUCCEEDED);
    started.clear();
    bench.resets.reset(id, new StepReset(List.of("a[2]"), null, true, false), "ann");
    bench.round(
        run -> {
          started.add(run.step());
          return null;
        });
    assertThat(started).as("while step 2 runs").containsExactly(2);
    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(started).containsExactly(2, 2, 6);
  }

  @Test
  void anEndThatNobodyDeclaredDoesNotEndAStepThatRuns() {
    long id = bench.submit(definition("/bin/a", false));
    bench.round(run -> null);
    bench.jobs.database.transaction(
        handle -> {
          StepArray declared = new StepArray(ReleaseDao.DECLARED, id, 0, 1);
          Packed first = StepNumbers.pack(new int[] {0}, 1).get(0);
          new ReleaseDao().insertEnds(handle, declared, JobState.SUCCEEDED, List.of(first));
          return null;
        });
    bench.drive();
    assertThat(bench.steps.details(id, 0).step().state()).isEqualTo(WorkflowStepState.RELEASED);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void aStepThatRunsIsOnlyResetCold() {
    long id = halfRun(false);
    StepReset hot = new StepReset(List.of("0"), null, false, false);
    assertThatThrownBy(() -> bench.resets.reset(id, hot, "ann")).hasMessageContaining("--cold");
    bench.resets.reset(id, new StepReset(List.of("0"), null, false, true), "ann");
    bench.drive();
    assertThat(stopped()).as("steps that are ended for it").containsExactly(0);
    bench.round(run -> run.step() == 0 ? Outcome.STOPPED : Outcome.SUCCEEDED);
    started.clear();
    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(started).containsExactly(0);
  }

  @Test
  void whatNeedsADeclaredStepStarts() {
    long id = halfRun(false);
    bench.status.set(id, new StatusChange(List.of("1"), "succeeded", "by hand"), "ann");
    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(started).contains(10).doesNotContain(1);
    assertThatThrownBy(
            () -> bench.status.set(id, new StatusChange(List.of("12"), "failed", null), "ann"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_STEP));
  }

  @Test
  void aRunThatIsSetToFailedIsResumed() {
    long id = bench.submit(definition("/bin/a", false));
    bench.run(id, this::good);
    bench.status.set(id, new StatusChange(List.of("10"), "failed", null), "ann");
    bench.drive();
    bench.status.set(id, new StatusChange(null, "failed", "wrong input"), "ann");
    assertThat(bench.views.view(id).reason()).contains("ann", "wrong input");
    started.clear();
    bench.resets.retry(id, null, false, "ann");
    assertThat(bench.run(id, this::good).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(started).containsExactly(10);
  }

  @Test
  void anArchivedOneIsHidden() {
    long id = halfRun(false);
    assertThatThrownBy(() -> bench.status.archive(id, true, "ann"))
        .hasMessageContaining("has ended");
    bench.run(id, this::good);
    bench.status.archive(id, true, "ann");
    Set<WorkflowState> all = EnumSet.noneOf(WorkflowState.class);
    assertThat(bench.views.list(all, null, false, null, 10).workflows()).isEmpty();
    assertThat(bench.views.list(all, null, true, null, 10).workflows()).hasSize(1);
    bench.resets.retry(id, null, false, "ann");
    assertThat(bench.views.list(all, null, false, null, 10).workflows()).hasSize(1);
    assertThat(bench.steps.details(id, 1).step().state()).isNotEqualTo(WorkflowStepState.SUCCEEDED);
  }

  private static WorkflowSpec limited(int steps, Integer ofWorkflow, Integer ofTemplate) {
    ValueList list = new ValueList(null, new ArrayRange(0, steps - 1, 1, 0));
    StepTemplate template =
        new StepTemplate(
            command("/bin/a", "{i}"),
            Map.of("i", list),
            false,
            List.of(),
            ofTemplate,
            BreakerRule.of("off"));
    return new WorkflowSpec(
        "w", null, Map.of("a", template), ofWorkflow, false, null, 0, null, null, null);
  }

  @Test
  void theLimitOfATemplateHoldsAfterAHotResumption() {
    long id = bench.submit(limited(40, null, 2));
    Set<Integer> failed = new HashSet<>();
    for (int round = 0; round < 4; round++) {
      bench.round(run -> failed.add(run.step()) ? Outcome.FAILED : Outcome.SUCCEEDED);
    }
    bench.resets.retry(id, ResumeMode.HOT, false, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.mostAtOnce).isEqualTo(2);
  }

  /** J-17: elements of earlier epochs that still run count until they have ended. */
  @ParameterizedTest
  @CsvSource({"3,", ",3"})
  void limitsHoldAfterResetsWhileElementsOfEarlierEpochsRun(
      Integer ofWorkflow, Integer ofTemplate) {
    long id = bench.submit(limited(40, ofWorkflow, ofTemplate));
    Set<Integer> stay = new HashSet<>();
    for (int epoch = 0; epoch < 3; epoch++) {
      // One of those that start runs on until the end.
      int staying = epoch + 1;
      bench.round(
          run ->
              stay.contains(run.step()) || (stay.size() < staying && stay.add(run.step()))
                  ? null
                  : Outcome.SUCCEEDED);
      bench.drive();
      String ended = Integer.toString(bench.ended.get(bench.ended.size() - 1));
      bench.resets.reset(id, new StepReset(List.of(ended), null, false, false), "ann");
      bench.drive();
      if (epoch < 2) {
        bench.round(run -> stay.contains(run.step()) ? null : Outcome.SUCCEEDED);
      }
    }
    assertThat(stay).hasSize(3);
    int before = bench.ended.size();
    for (int round = 0; round < 3; round++) {
      bench.round(run -> stay.contains(run.step()) ? null : Outcome.SUCCEEDED);
    }
    assertThat(bench.ended).as("steps that ended while all slots were taken").hasSize(before);
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.mostAtOnce).isEqualTo(3);
  }

  @Test
  void theLimitOfATemplateHoldsHoweverOftenItIsResumed() {
    Random random = new Random(3);
    long id = bench.submit(limited(60, null, 3));
    for (int round = 0; round < 60; round++) {
      bench.round(
          run ->
              random.nextBoolean()
                  ? null
                  : random.nextBoolean() ? Outcome.FAILED : Outcome.SUCCEEDED);
      if (round % 4 == 3 && bench.views.view(id).state() == WorkflowState.RUNNING) {
        bench.resets.retry(id, ResumeMode.HOT, false, "ann");
      }
    }
    bench.resets.retry(id, ResumeMode.HOT, false, "ann");
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.mostAtOnce).isEqualTo(3);
  }

  @Test
  void limitsOfAChangedFileHoldForTheResumedRun() {
    long id = bench.submit(limited(20, 2, 1));
    assertThat(bench.run(id, run -> Outcome.FAILED).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(bench.mostAtOnce).isEqualTo(1);
    bench.submit(limited(20, 10, null));
    assertThat(bench.run(id, run -> Outcome.FAILED).state()).isEqualTo(WorkflowState.FAILED);
    assertThat(bench.mostAtOnce).isEqualTo(10);
    bench.mostAtOnce = 0;
    bench.submit(limited(20, null, 3));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.mostAtOnce).isEqualTo(3);
  }

  @Test
  void aLimitThatTheFileDoesNotChangeStaysAsSomebodySetIt() {
    long id = bench.submit(limited(20, 8, 8));
    bench.control.limit(id, null, 5, "ann");
    bench.control.limit(id, "a", 3, "ann");
    bench.run(id, run -> Outcome.FAILED);
    bench.submit(limited(20, 4, 8));
    bench.run(id, run -> Outcome.FAILED);
    assertThat(bench.mostAtOnce).isEqualTo(3);
    bench.control.limit(id, "a", null, "ann");
    bench.mostAtOnce = 0;
    bench.submit(limited(20, 4, 8));
    bench.run(id);
    assertThat(bench.mostAtOnce).isEqualTo(4);
  }

  @Test
  void aLimitOfTheWorkflowThatTheFileDoesNotChangeStaysToo() {
    long id = bench.submit(limited(20, 8, 8));
    bench.control.limit(id, null, 3, "ann");
    bench.run(id, run -> Outcome.FAILED);
    bench.submit(limited(20, 8, 5));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.mostAtOnce).isEqualTo(3);
  }

  @Test
  void lowerLimitsOfAFileHoldAtOnceInARunThatIsResumedHot() {
    long id = bench.submit(limited(300, null, null));
    bench.round(run -> null);
    bench.mostAtOnce = 0;
    bench.binding.begin(
        "ann", new WorkflowSubmission(limited(300, null, 4), "", 0, null), ResumeMode.HOT);
    bench.round(run -> Outcome.SUCCEEDED);
    bench.round(run -> Outcome.SUCCEEDED);
    bench.mostAtOnce = 0;
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.mostAtOnce).isEqualTo(4);
  }

  @Test
  void lowerLimitsOfAFileHoldInARunThatIsResumedCold() {
    long id = bench.submit(limited(50, null, null));
    bench.round(run -> null);
    bench.binding.begin(
        "ann", new WorkflowSubmission(limited(50, 4, null), "", 0, null), ResumeMode.COLD);
    bench.round(run -> Outcome.STOPPED);
    bench.mostAtOnce = 0;
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.mostAtOnce).isEqualTo(4);
  }

  @Test
  void aColdResumptionByAChangedFileMayBeCancelledAndAskedForAgain() {
    long id = bench.submit(limited(5, null, null));
    bench.round(run -> null);
    WorkflowSubmission changed = new WorkflowSubmission(limited(5, 2, null), "", 0, null);
    bench.binding.begin("ann", changed, ResumeMode.COLD);
    bench.control.cancel(id, "bob");
    assertThat(bench.run(id, run -> Outcome.STOPPED).state()).isEqualTo(WorkflowState.CANCELLED);
    bench.mostAtOnce = 0;
    bench.submit(limited(5, 3, null));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(bench.mostAtOnce).isEqualTo(3);
  }
}

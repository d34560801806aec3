package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.ArrayRange;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.ResumeMode;
import io.millrace.api.workflow.StepReset;
import io.millrace.api.workflow.SubmissionOutcome;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowEvent;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowSubmission;
import io.millrace.manager.workflow.WorkflowBinding.BegunWorkflow;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client whose answer is lost sends its submission again, which is carried out once. */
final class RepeatedSubmissionTest {
  private final WorkflowBench bench = new WorkflowBench(100);
  private final Set<Integer> started = new TreeSet<>();

  @AfterEach
  void close() {
    bench.close();
  }

  private static WorkflowSpec definition() {
    ValueList ten = new ValueList(null, new ArrayRange(0, 9, 1, 0));
    return WorkflowBench.workflow(
        Map.of("a", template(command("/bin/a", "{i}"), Map.of("i", ten))));
  }

  private BegunWorkflow submit(ResumeMode mode, String key) {
    return bench.binding.begin("ann", new WorkflowSubmission(definition(), "", 0, null), mode, key);
  }

  private SubmissionOutcome outcome(ResumeMode mode, String key) {
    return submit(mode, key).view().outcome();
  }

  private List<String> resumptions() {
    return bench.views.history(1).events().stream().map(WorkflowEvent::event).toList();
  }

  private void runAllSteps() {
    started.clear();
    while (started.size() < 10) {
      bench.round(
          step -> {
            started.add(step.step());
            return null;
          });
    }
  }

  @Test
  void aRepetitionOfAColdResumptionEndsNothingAgain() {
    submit(null, "first");
    runAllSteps();
    assertThat(outcome(ResumeMode.COLD, "second")).isEqualTo(SubmissionOutcome.RESUMED);
    // What runs is being ended.
    assertThat(outcome(ResumeMode.COLD, "second")).isEqualTo(SubmissionOutcome.RESUMED);
    assertThat(bench.views.view(1).state()).isEqualTo(WorkflowState.CANCELLING);
    bench.round(step -> Outcome.STOPPED);
    runAllSteps();
    assertThat(outcome(ResumeMode.COLD, "second")).isEqualTo(SubmissionOutcome.RESUMED);

    assertThat(bench.views.view(1).state()).isEqualTo(WorkflowState.RUNNING);
    assertThat(resumptions())
        .containsExactly("resumed it cold, with 0 failed and 0 cancelled steps");
    assertThat(outcome(ResumeMode.COLD, "third")).isEqualTo(SubmissionOutcome.RESUMED);
    assertThat(resumptions()).hasSize(2);
  }

  @Test
  void aRepetitionIsNoConflictWhileStepsAreSetBack() {
    submit(null, null);
    bench.run(1, step -> Outcome.FAILED);
    bench.resets.retry(1, null, true, "ann");
    bench.run(1, step -> Outcome.FAILED);
    assertThat(outcome(null, "second")).isEqualTo(SubmissionOutcome.RESUMED);
    bench.drive();
    bench.resets.reset(1, new StepReset(List.of(), "a", false, true), "bob");

    assertThatThrownBy(() -> submit(ResumeMode.HOT, "other")).hasMessageContaining("being reset");
    assertThat(outcome(ResumeMode.HOT, "second")).isEqualTo(SubmissionOutcome.RESUMED);
  }

  @Test
  void aRepetitionOfTheFirstOneIsAnsweredAsCreatedWhateverHasHappenedSince() {
    assertThat(submit(null, "first").created()).isTrue();
    assertThat(submit(null, "first").created()).isTrue();
    bench.run(1, step -> Outcome.FAILED);
    assertThat(submit(null, "first").created()).isTrue();
    assertThat(bench.views.view(1).state()).isEqualTo(WorkflowState.FAILED);

    assertThat(outcome(null, "second")).isEqualTo(SubmissionOutcome.RESUMED);
    bench.run(1);
    assertThat(outcome(null, "second")).isEqualTo(SubmissionOutcome.RESUMED);
    assertThatThrownBy(() -> submit(null, "third"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
  }

  @Test
  void aSubmissionThatChangesNothingDoesNotDisplaceOneThatDid() {
    submit(null, "first");
    runAllSteps();
    submit(ResumeMode.HOT, "second");
    assertThat(outcome(null, "third")).isEqualTo(SubmissionOutcome.UNCHANGED);
    assertThat(outcome(null, null)).isEqualTo(SubmissionOutcome.UNCHANGED);

    assertThat(outcome(ResumeMode.HOT, "second")).isEqualTo(SubmissionOutcome.RESUMED);
    assertThat(resumptions()).hasSize(1);
  }

  @Test
  void withoutAKeyEachSubmissionIsCarriedOut() {
    submit(null, null);
    runAllSteps();
    submit(ResumeMode.HOT, null);
    bench.drive();
    submit(ResumeMode.HOT, null);

    assertThat(resumptions()).hasSize(2);
  }

  @Test
  void keysHaveVisibleCharacters() {
    assertThatThrownBy(() -> submit(null, "two words"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageStartingWith("Idempotency-Key: ");
  }
}

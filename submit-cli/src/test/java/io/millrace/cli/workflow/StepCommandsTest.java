package io.millrace.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.insight.FailureGroups;
import io.millrace.api.insight.FailureGroups.FailureGroup;
import io.millrace.api.insight.FailureGroups.FailureSample;
import io.millrace.api.job.JobDetails.AttemptView;
import io.millrace.api.job.JobExplanation;
import io.millrace.api.job.JobExplanation.WaitReason;
import io.millrace.api.job.JobExplanation.WaitSpan;
import io.millrace.api.job.JobState;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.WaitCode;
import io.millrace.api.workflow.StepView;
import io.millrace.api.workflow.StepView.StepDetails;
import io.millrace.api.workflow.StepView.StepPage;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import io.millrace.cli.Samples;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The commands about steps of workflows (J-05: monitor, debug). */
class StepCommandsTest {
  private static final Instant NOW = CommandRun.NOW;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  private static StepView step(int number, String name, WorkflowStepState state) {
    return new StepView(number, name, "work", state, Map.of("x", "a b"), 0);
  }

  @Test
  void stepsAreListedPageAfterPage() {
    cluster.answering(
        "GET /v1/workflows/17/steps?limit=3",
        new StepPage(List.of(step(4, "one", WorkflowStepState.FAILED)), 8191));
    cluster.answering(
        "GET /v1/workflows/17/steps?limit=2",
        new StepPage(
            List.of(
                step(9000, null, WorkflowStepState.FAILED),
                step(9001, null, WorkflowStepState.FAILED)),
            9001));

    assertThat(
            run.run(
                "workflow",
                "steps",
                "17",
                "--template",
                "work",
                "--state",
                "failed",
                "--limit",
                "3"))
        .isZero();

    assertThat(cluster.asked())
        .containsExactly(
            "GET /v1/workflows/17/steps?limit=3&template=work&state=failed",
            "GET /v1/workflows/17/steps?limit=2&template=work&state=failed&after=8191");
    assertThat(run.output())
        .isEqualTo(
            """
            STEP  NAME  TEMPLATE  STATE   ARGUMENTS
               4  one   work      failed  x=a b
            9000  -     work      failed  x=a b
            9001  -     work      failed  x=a b
            """);
    assertThat(run.messages()).contains("more steps: use --after 9001");
  }

  @Test
  void aWaitingStepSaysForWhat() {
    cluster.answering(
        "GET /v1/workflows/17/steps/",
        new StepDetails(
            step(302, "two", WorkflowStepState.WAITING),
            List.of("needs step 301 (one) of 'work', which is FAILED", "its workflow is FAILED"),
            List.of(step(301, "one", WorkflowStepState.FAILED)),
            7,
            null,
            List.of()));

    assertThat(run.run("workflow", "explain", "17", "two")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            step 302 (two) of 'work' of workflow 17
              state       waiting
              arguments   x=a b
              reason      needs step 301 (one) of 'work', which is FAILED
              also        its workflow is FAILED

            Needs
              STEP  NAME  TEMPLATE  STATE   ARGUMENTS
               301  one   work      failed  x=a b
              and 7 more
            """);
  }

  @Test
  void whatHoldsBackAStepIsSaidOnceAlthoughItsJobSaysItToo() {
    String limit = "the limit of 'work' is 0: no step starts";
    cluster.answering(
        "GET /v1/workflows/17/steps/",
        new StepDetails(
            step(302, "two", WorkflowStepState.RELEASED),
            List.of(limit),
            List.of(),
            0,
            88L,
            List.of()));
    cluster.answering(
        "GET /v1/jobs/88/explanation",
        new JobExplanation(
            Samples.job(88, "work", JobState.BLOCKED, null),
            List.of(new WaitReason(WaitCode.ARRAY_TURN, limit)),
            List.of(),
            List.of(
                new WaitSpan(
                    WaitCode.ARRAY_TURN, "its turn in its array", NOW.minusSeconds(60), null))));

    assertThat(run.run("workflow", "explain", "17", "two")).isZero();

    assertThat(run.output())
        .containsOnlyOnce(limit)
        .contains("state       blocked", "1m00s in total: 1m00s array turn")
        .doesNotContain("no known reason", "lane");
  }

  @Test
  void theOutputOfAStepIsThatOfItsJob() {
    cluster.answering("GET /v1/workflows/17/steps/fetch[3]", failed());
    cluster.writing("GET /v1/jobs/88/logs?attempt=0&stream=stderr", "no space left\n");

    assertThat(run.run("workflow", "logs", "17", "fetch[3]", "--stderr")).isZero();

    assertThat(run.messages()).isEqualTo("no space left\n");
    assertThat(cluster.asked()).hasSize(2);
  }

  @Test
  void aStepThatNeverRanHasNoOutput() {
    cluster.answering(
        "GET /v1/workflows/17/steps/",
        new StepDetails(
            step(302, null, WorkflowStepState.WAITING),
            List.of("its workflow is FAILED"),
            List.of(),
            0,
            null,
            List.of()));

    assertThat(run.run("workflow", "logs", "17", "302")).isNotZero();

    assertThat(run.messages())
        .contains("step 302 of 'work' of workflow 17 has no output: its workflow is FAILED");
  }

  @Test
  void failedStepsAreGroupedWithOneExampleEach() {
    cluster.answering(
        "GET /v1/workflows/17/errors",
        new FailureGroups(
            1_312,
            false,
            0,
            List.of(
                new FailureGroup(
                    "exit code 1",
                    "no space left on disk #",
                    1_312,
                    List.of("41", "7"),
                    new FailureSample(
                        "41", 88L, 3, "e1", NOW.minusSeconds(120), "copying\nno space on disk 3"))),
            List.of()));

    assertThat(run.run("workflow", "errors", "17")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            1,312  no space left on disk #  (exit code 1)
              41 7 and 1,310 more
              sample 41, attempt 3 on e1, 2m ago
              | copying
              | no space on disk 3
              all its output: millrace workflow logs 17 41
            """);
  }

  private static StepDetails failed() {
    return new StepDetails(
        step(3, null, WorkflowStepState.FAILED),
        List.of(),
        List.of(),
        0,
        88L,
        List.of(
            new AttemptView(
                1,
                "e1",
                JobState.FAILED,
                NOW,
                NOW,
                NOW,
                Outcome.FAILED,
                1,
                null,
                null,
                null,
                "first",
                null)));
  }
}

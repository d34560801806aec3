package io.millrace.manager.workflow;

import static io.millrace.manager.workflow.WorkflowBench.command;
import static io.millrace.manager.workflow.WorkflowBench.template;
import static io.millrace.manager.workflow.WorkflowBench.workflow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.Outcome;
import io.millrace.api.workflow.ValueList;
import io.millrace.api.workflow.WorkflowSpec;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowStepState;
import io.millrace.manager.job.JobBench;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A small request makes no large texts, comparisons or answers. */
final class WorkflowBoundsTest {
  private static final String LARGE = "v".repeat(WorkflowSpec.LONGEST_ARGUMENT);

  private final WorkflowBench bench = new WorkflowBench(16);

  @AfterEach
  void close() {
    bench.close();
  }

  private static WorkflowSpec with(JobSpec job, String value) {
    return new WorkflowSpec(
        "w",
        Map.of("x", value),
        Map.of("s", template(job, Map.of())),
        null,
        false,
        null,
        0,
        null,
        null,
        null);
  }

  private void assertFailsWithoutJob(JobSpec job, String reason) {
    long id = bench.submit(with(job, LARGE));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.FAILED);
    var step = bench.steps.details(id, 0);
    assertThat(step.step().state()).isEqualTo(WorkflowStepState.FAILED);
    assertThat(step.job()).isNull();
    assertThat(step.reasons()).singleElement().asString().contains(reason).hasSizeLessThan(300);
  }

  @Test
  void aStepWhoseWordWouldBeTooLongFailsWithoutAJob() {
    assertFailsWithoutJob(
        command("/bin/echo", "{workflow.x}".repeat(9_000)),
        "its command has a word that would have more than 131072 characters");
  }

  @Test
  void aStepWhoseVariableOrInputWouldBeTooLongFailsWithoutAJob() {
    assertFailsWithoutJob(
        JobDraft.command("/bin/echo").env(Map.of("V", "{workflow.x}".repeat(3))).spec(),
        "its variable V would have more than 131072 characters");
    assertFailsWithoutJob(
        JobDraft.command("/bin/cat").stdin("{workflow.x}".repeat(5)).spec(),
        "its stdin would have more than 262144 characters");
  }

  @Test
  void aStepWhoseTextsWouldBeTooLongTogetherFailsWithoutAJob() {
    assertFailsWithoutJob(
        command(Collections.nCopies(17, "{workflow.x}").toArray(String[]::new)),
        "the texts of its job would have more than 1048576 characters together");
  }

  @Test
  void textsAtTheirLimitsAreFilledIn() {
    long id = bench.submit(with(command("/bin/echo", "{workflow.x}{workflow.x}"), LARGE));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  @Test
  void valuesOfArgumentsAreBounded() {
    assertThatThrownBy(() -> with(command("/bin/true"), LARGE + "v"))
        .isInstanceOf(MillraceException.class)
        .hasMessage("arguments.x: 65537 characters; use at most 65536");
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 17; i++) {
      many.put("x" + i, LARGE);
    }
    assertThatThrownBy(
            () ->
                new WorkflowSpec(
                    "w",
                    many,
                    Map.of("s", template(command("/bin/true"), Map.of())),
                    null,
                    false,
                    null,
                    0,
                    null,
                    null,
                    null))
        .hasMessage("arguments: 1114112 characters together; use at most 1048576");
    assertThatThrownBy(() -> ValueList.of(List.of("v".repeat(4097))))
        .hasMessage("each: a value has 4097 characters; use at most 4096");
  }

  @Test
  void valuesThatNoNodeReadsAreRefused() {
    long id = bench.submit(workflow(Map.of("s", template(command("/bin/true"), Map.of()))));
    assertRefused(
        id, Map.of("a", LARGE), "outputs of attempt 1 of job", "65537 characters; at most 65536");
    assertRefused(id, Map.of("a b", "1"), "'a b' is not the name of a value");
    bench.outputs = step -> Map.of("a", LARGE.substring(1));
    assertThat(bench.run(id).state()).isEqualTo(WorkflowState.SUCCEEDED);
  }

  private void assertRefused(long id, Map<String, String> outputs, String... texts) {
    AttemptId attempt = new AttemptId(id, 1);
    assertThatThrownBy(
            () ->
                bench.jobs.reports.take(
                    JobBench.E1,
                    List.of(
                        JobBench.ended(attempt, Outcome.SUCCEEDED, 0, 1).withOutputs(outputs))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContainingAll(texts);
  }
}

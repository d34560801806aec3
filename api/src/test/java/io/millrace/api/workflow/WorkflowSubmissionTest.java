package io.millrace.api.workflow;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.api.MillraceException;
import io.millrace.api.job.JobDraft;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkflowSubmissionTest {
  private final WorkflowGraph graph = new WorkflowGraph("nightly");

  WorkflowSubmissionTest() {
    graph.template("fetch", JobDraft.command("fetch").spec());
  }

  @ParameterizedTest
  @ValueSource(strings = {"two\nlines", "\u001b[2J", "\u0085"})
  void aRunKeyHasNoControlCharacters(String key) {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> graph.submission(key))
        .withMessage("runKey must not have control characters");
  }

  @Test
  void aRunKeyIsNotLongerThanTheColumnThatStoresIt() {
    graph.submission("ü".repeat(200));

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> graph.submission("k".repeat(201)))
        .withMessage("runKey must have at most 200 characters");
  }
}

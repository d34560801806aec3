package io.millrace.tests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.client.WorkflowClient;
import io.millrace.api.client.WorkflowClient.SubmissionListener;
import io.millrace.api.job.JobDraft;
import io.millrace.api.workflow.StepView;
import io.millrace.api.workflow.WorkflowGraph;
import io.millrace.api.workflow.WorkflowGraph.TemplateDraft;
import io.millrace.api.workflow.WorkflowState;
import io.millrace.api.workflow.WorkflowView;
import io.millrace.platform.identity.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A list that a process writes makes steps, whose values reach their processes as they are. */
class GivenListsInClusterTest {
  private static final Duration LONG = Duration.ofMinutes(2);

  // What shells, formats and encodings might take for something else.
  private static final List<String> NAMES =
      List.of(
          "plain",
          "two words",
          "$(touch broken)",
          "`id`; rm -rf x",
          "'single' \"double\"",
          "back\\slash",
          "{file}",
          "a,b",
          "Grüße, 世界 🙂",
          "*?[x]~#&|<>",
          "--option=%s");

  @RegisterExtension static final Cluster CLUSTER = new Cluster(1, 1, 8);

  @TempDir Path folder;

  @Test
  void valuesOfAListReachTheStepsAsTheyAre() throws IOException {
    Path list = Files.writeString(folder.resolve("list.json"), Json.write(NAMES));
    Path made = Files.createDirectory(folder.resolve("made"));
    WorkflowGraph graph = new WorkflowGraph("fan");
    TemplateDraft giver =
        graph.template(
            "list",
            JobDraft.command(
                    "sh",
                    "-c",
                    "printf 'files=%s\\n' \"$(cat \"$1\")\" >> \"$MILLRACE_OUTPUT\"",
                    "list",
                    list.toString())
                .spec());
    TemplateDraft convert =
        graph
            .template(
                "convert",
                JobDraft.command(
                        "sh",
                        "-c",
                        "printf '%s' \"$1\" > \"$2/$MILLRACE_STEP\"; printf '%s' \"$FILE\" >"
                            + " \"$2/$MILLRACE_STEP.env\"",
                        "convert",
                        "{file}",
                        made.toString())
                    .env(Map.of("FILE", "{file}"))
                    .spec())
            .eachOf("file", giver, "files", 50);
    graph.template("report", JobDraft.command("true").spec()).needs(convert);
    WorkflowClient workflows = CLUSTER.central(Role.OPERATOR).workflows();

    WorkflowView begun = workflows.submit(graph, null, SubmissionListener.NONE);
    WorkflowView end = workflows.await(begun.id(), LONG);

    assertThat(end.state()).as(String.valueOf(end.reason())).isEqualTo(WorkflowState.SUCCEEDED);
    assertThat(end.progress().steps()).isEqualTo(NAMES.size() + 2);
    List<StepView> steps = workflows.steps(begun.id(), "convert", null, null, 100).steps();
    assertThat(steps.stream().map(step -> step.arguments().get("file")))
        .containsExactlyElementsOf(NAMES);
    for (StepView step : steps) {
      String file = step.arguments().get("file");
      assertThat(made.resolve(String.valueOf(step.step()))).hasContent(file);
      assertThat(made.resolve(step.step() + ".env")).hasContent(file);
    }
    try (var files = Files.list(made)) {
      assertThat(files).hasSize(2 * NAMES.size());
    }
  }
}

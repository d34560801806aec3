package io.millrace.cli.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.job.JobSpec;
import io.millrace.api.workflow.WorkflowSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recorded workflows of WfCommons run again, as they were or as waits of the recorded times. */
class WfFormatFileTest {
  @TempDir private Path folder;
  private final ImportFindings findings = new ImportFindings();

  @Test
  void tasksNeedTheirParents() throws IOException {
    ImportedWorkflow study = read(study(), 0.1);

    assertThat(study.name()).isEqualTo("study");
    assertThat(DagmanFileTest.needs(study))
        .isEqualTo(
            Map.of(
                "split_ID0001", List.of(),
                "fit_1", List.of("split_ID0001"),
                "fit_2", List.of("split_ID0001"),
                "fit_3", List.of("split_ID0001"),
                "check_ID0005", List.of("fit_3"),
                "merge_ID0006", List.of("fit_1", "fit_2"),
                "plot é", List.of("merge_ID0006"),
                "report", List.of("merge_ID0006", "check_ID0005")));
  }

  @Test
  void withAFactorEachCommandBecomesAWaitOfItsRecordedTime() throws IOException {
    ImportedWorkflow study = read(study(), 0.1);
    WorkflowSpec spec = study.graph().prepare();

    assertThat(spec.templates().keySet())
        .containsExactly("split", "fit", "check", "merge", "plot", "report-2");
    JobSpec fit = spec.templates().get("fit").job();
    assertThat(fit.command()).containsExactly("sleep", "{seconds}");
    assertThat(fit.cpu()).isNull();
    assertThat(DagmanFileTest.command(study, "fit_1")).containsExactly("sleep", "2.05");
    assertThat(DagmanFileTest.command(study, "split_ID0001")).containsExactly("sleep", "1");
    assertThat(study.graph().problems()).isEmpty();
  }

  @Test
  void theCriticalPathIsTheLongestWayThroughTheGraph() throws IOException {
    ImportedWorkflow study = read(study(), 0.1);

    assertThat(study.criticalPath(study.recordedSeconds())).isEqualTo(5.05, within(1e-9));
  }

  @Test
  void withoutAFactorTheRecordedCommandsRun() throws IOException {
    ImportedWorkflow study = read(study(), null);
    WorkflowSpec spec = study.graph().prepare();
    JobSpec fit = spec.templates().get("fit").job();

    assertThat(fit.command()).containsExactly("/opt/fit", "{arg1}", "{{x}}");
    assertThat(fit.cpu()).isEqualTo(2);
    assertThat(fit.memory()).hasToString("266MB");
    assertThat(fit.cwd()).isEqualTo(folder.toString());
    assertThat(DagmanFileTest.command(study, "plot é"))
        .containsExactly("plot", "a;b", ">", "$HOME");
    assertThat(DagmanFileTest.command(study, "merge_ID0006"))
        .containsExactly("bash", "-c", "cat 1 2\n > all", "merge");
    assertThat(findings.notes())
        .anyMatch(note -> note.contains("task merge_ID0006: the program is the text of a script"))
        .anyMatch(note -> note.contains("the argument '>' is passed to the program"))
        .anyMatch(note -> note.contains("the recorded commands run in " + folder));
  }

  @Test
  void whatIsWrongIsToldWithTheTask() throws IOException {
    read(
        """
        {"name": "x", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [
          {"id": "a", "parents": ["nobody"], "children": []},
          {"id": "a", "parents": [], "children": []},
          {"parents": []}]},
         "execution": {"tasks": [
          {"id": "a", "runtimeInSeconds": "long", "command": {"program": "x"}},
          {"id": "c", "runtimeInSeconds": 1, "command": {"program": "x", "arguments": "y"}}]}}}
        """,
        null);

    assertThatThrownBy(findings::refuse)
        .message()
        .contains(
            "line 3: task a: is specified twice",
            "line 4: a task has no id",
            "line 6: task a: runtimeInSeconds is not a number",
            "line 7: task c: arguments is not a list of texts");
  }

  @Test
  void parentsAndExecutionsMustBelongToTasks() throws IOException {
    read(
        """
        {"name": "x", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [
          {"id": "a", "parents": ["nobody"], "children": []}]},
         "execution": {"tasks": [{"id": "c", "command": {"program": "x"}}]}}}
        """,
        null);

    assertThatThrownBy(findings::refuse)
        .message()
        .contains(
            "task a: parents: there is no task nobody",
            "task c: is not in workflow.specification.tasks",
            "task a: no command is recorded; use --factor");
  }

  @Test
  void otherVersionsAndOtherFilesAreRefused() throws IOException {
    read("{\"schemaVersion\": \"1.3\", \"workflow\": {\"tasks\": []}}", 1.0);
    assertThatThrownBy(findings::refuse).hasMessageContaining("schemaVersion is 1.3; 1.5 is read");
  }

  @Test
  void brokenJsonIsToldWithItsLine() throws IOException {
    read("{\"schemaVersion\": \"1.5\",\n\"workflow\": {\"specification\": {\"tasks\": [\n{]}", 1.0);
    assertThatThrownBy(findings::refuse).hasMessageContaining("line 3: is not readable as JSON");
  }

  private ImportedWorkflow read(String json, Double factor) throws IOException {
    return new WfFormatFile(factor, findings)
        .read(Files.writeString(folder.resolve("study.json"), json));
  }

  private static String study() throws IOException {
    try (InputStream in = WfFormatFileTest.class.getResourceAsStream("/migration/study.json")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}

package io.millrace.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code millrace workflow submit --dry-run} finds, and what it leaves to a submission. */
class WorkflowDryRunTest {
  private static final String PLAIN =
      "kind: workflow\nname: w\ntemplates: {a: {job: {command: [a]}}}\n";

  @TempDir private Path folder;

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void aDryRunFindsCyclesAndWhatACentralManagerWouldRefuse() throws IOException {
    String steps =
        """
        kind: workflow
        name: w
        templates:
          a: {job: {command: [a, "{x}"]}}
        steps:
          - {name: one, template: a, arguments: {x: 1}, needs: [two]}
          - {name: two, template: a, arguments: {x: 2}, needs: [one]}
        """;
    assertThat(submit(steps, "--dry-run")).isEqualTo(2);
    assertThat(run.messages())
        .contains(", steps (line 5): steps need one another in a cycle: ")
        .contains("step 0 (one) needs step 1 (two) needs step 0 (one)");
    String templates =
        """
        kind: workflow
        name: w
        templates:
          a: {job: {command: [a]}, needs: [c]}
          b: {job: {command: [b]}, needs: [a]}
          c: {job: {command: [c]}, needs: [b]}
        """;
    assertThat(submit(templates, "--dry-run")).isEqualTo(2);
    assertThat(run.messages())
        .contains("templates need one another in a cycle: a needs c needs b needs a");
    String job =
        "kind: workflow\nname: w\ntemplates:\n  a: {job: {command: [a], priority: 1000001}}\n";
    assertThat(submit(job, "--dry-run")).isEqualTo(2);
    assertThat(run.messages()).contains(", templates.a.job (line 4): priority");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aDryRunFindsTheCycleOfManySteps() throws IOException {
    int count = 100_000;
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < count; i++) {
      lines
          .append(
              "{\"name\": \"n%d\", \"template\": \"a\", \"arguments\": {\"x\": \"%d\"},"
                  .formatted(i, i))
          .append(" \"needs\": [\"n%d\"]}\n".formatted((i + 1) % count));
    }
    Path steps = Files.writeString(folder.resolve("steps.ndjson"), lines);
    String text = "kind: workflow\nname: w\ntemplates: {a: {job: {command: [a, '{x}']}}}\n";

    assertThat(submit(text, "--dry-run", "--steps", steps.toString())).isEqualTo(2);

    assertThat(run.messages())
        .contains("step 0 (n0) needs step 1 (n1) needs")
        .contains("(100000 steps)")
        .hasSizeLessThan(1_000);
  }

  @Test
  void aDryRunFindsStepsThatNoCentralManagerStores() throws IOException {
    String steps =
        """
        kind: workflow
        name: w
        templates:
          a: {job: {command: [a, "{x}", "{y}"]}}
        steps:
          - {template: a, arguments: {x: 1, y: 1}}
          - {template: a, arguments: {x: %1$s, y: %1$s}}
          - {template: a, arguments: {x: 3, y: 1}, needs: [a]}
        """;
    assertThat(submit(steps.formatted("v".repeat(40_000)), "--dry-run")).isEqualTo(2);
    assertThat(run.messages())
        .contains(", steps[1].arguments (line 7): its arguments are longer than 65536 characters");
    assertThat(submit(steps.formatted("2"), "--dry-run")).isEqualTo(2);
    assertThat(run.messages())
        .contains(
            ", steps[2].needs (line 8): it cannot need all steps of the template that it belongs"
                + " to");
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void whatSaysHowToSubmitIsRefusedWithADryRun() throws IOException {
    for (String option : List.of("--resume=hot", "--allow-infeasible", "--wait")) {
      // With --wait, codes below 120 are those of workflows.
      int usage = option.equals("--wait") ? 120 : 2;
      assertThat(submit(PLAIN, "--dry-run", option)).as(option).isEqualTo(usage);
      assertThat(run.messages())
          .contains(option.replace("=hot", "") + ": cannot be used with --dry-run");
    }
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void aDryRunSaysWhatItDidNotCheck() throws IOException {
    assertThat(submit(PLAIN, "--dry-run")).isZero();
    assertThat(run.messages())
        .contains("not checked: whether nodes have what the steps ask for; ")
        .contains("whether the same workflow has been submitted before");
    CommandRun json = new CommandRun(cluster);
    Path file = folder.resolve("w.yaml");
    assertThat(json.run("workflow", "submit", "-f", file.toString(), "--dry-run", "--json"))
        .isZero();
    assertThat(Json.mapper().readTree(json.output()).get("notChecked")).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "two\nlines", "\u001b[2J"})
  void aRunKeyIsALineOfText(String key) throws IOException {
    assertThat(submit(PLAIN, "--dry-run", "--run-key", key)).isEqualTo(2);

    assertThat(run.messages())
        .contains("--run-key: use 1 to 200 characters, none of them a control");
    assertThat(cluster.asked()).isEmpty();
  }

  private int submit(String text, String... options) throws IOException {
    Path file = Files.writeString(folder.resolve("w.yaml"), text);
    return run.run(
        Stream.concat(Stream.of("workflow", "submit", "-f", file.toString()), Stream.of(options))
            .toArray(String[]::new));
  }
}

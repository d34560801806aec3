package io.millrace.cli.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The workflows of the manual are accepted as they are written there. */
class WorkflowManualTest {
  private static final Path MANUAL = Path.of("..", "docs", "workflows.md");
  private static final Pattern YAML = Pattern.compile("(?s)```yaml\\n(.*?)```");

  @Test
  void everyWorkflowOfTheManualIsAccepted() throws IOException {
    List<String> files =
        YAML.matcher(Files.readString(MANUAL)).results().map(found -> found.group(1)).toList();

    List<String> summaries = files.stream().map(WorkflowManualTest::lastLineOfDryRun).toList();

    assertThat(summaries)
        .containsExactly(
            "workflow nightly: 3 templates, 1,001 steps",
            "workflow study: 3 templates, 203 steps",
            "workflow release: 3 templates, 6 steps",
            "workflow split: 2 templates, 1,000 steps",
            "workflow fan: 3 templates, up to 5,002 steps",
            "workflow nightly-build: 5 templates, 24 steps",
            "workflow rates: 4 templates, 29 steps",
            "workflow diamond: 4 templates, 4 steps");
  }

  private static String lastLineOfDryRun(String text) {
    CommandRun run = new CommandRun(new FakeCluster()).reading(text);
    assertThat(run.run("workflow", "submit", "-f", "-", "--dry-run")).as(run.messages()).isZero();
    List<String> lines = run.output().lines().toList();
    return lines.get(lines.size() - 1);
  }
}

package io.millrace.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.ApplyRequest.ExpectedVersion;
import io.millrace.api.definition.ApplyRequest.LabelSelector;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplyTest {
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void theDifferenceIsPrinted() {
    cluster.answering(
        "POST /v1/definitions",
        new ApplyAnswer(
            true,
            List.of(
                new ApplyChange(
                    "queue", "alert", ApplyAction.CHANGED, 2, List.of("-batch: 5", "+batch: 9")))));
    assertThat(run.reading("kind: queue").run("apply", "-f", "-", "--dry-run")).isZero();
    assertThat(run.output())
        .isEqualTo(
            """
            queue/alert would be changed (version 2)
              -batch: 5
              +batch: 9
            """);
    assertThat(run.messages()).contains("nothing was changed");
    assertThat(request().dryRun()).isTrue();
  }

  @Test
  void aNewDefinitionTakesOneLineAndWhatItsFileSaysIsShownByADryRunOnly() {
    ApplyChange change =
        new ApplyChange("queue", "a", ApplyAction.CREATED, 1, List.of("+ kind: queue"));
    cluster.answering("POST /v1/definitions", new ApplyAnswer(false, List.of(change)));
    run.reading("kind: queue").run("apply", "-f", "-");
    assertThat(run.output()).isEqualTo("queue/a created (version 1)\n");

    cluster.answering("POST /v1/definitions", new ApplyAnswer(true, List.of(change)));
    CommandRun dry = new CommandRun(cluster);
    dry.reading("kind: queue").run("apply", "--dry-run", "-f", "-");
    assertThat(dry.output()).isEqualTo("queue/a would be created (version 1)\n  + kind: queue\n");
  }

  @Test
  void expectedVersionsAreSent() {
    cluster.answering("POST /v1/definitions", new ApplyAnswer(false, List.of()));
    int exit =
        run.reading("kind: queue")
            .run("apply", "-f", "-", "--expect", "queue/alert=3", "--expect", "task/new=0");
    assertThat(exit).isZero();
    assertThat(request().expect())
        .containsExactly(
            new ExpectedVersion("queue", "alert", 3), new ExpectedVersion("task", "new", 0));
  }

  @Test
  void anExpectedVersionOfAnotherFormIsAUsageError() {
    for (String wrong : List.of("alert=3", "queue/alert", "queue/alert=-1", "queue/a=b", "")) {
      CommandRun refused = new CommandRun(cluster);
      assertThat(refused.reading("kind: queue").run("apply", "-f", "-", "--expect", wrong))
          .as(wrong)
          .isEqualTo(2);
      assertThat(refused.messages()).contains("--expect: write KIND/NAME=VERSION");
    }
    assertThat(cluster.asked()).isEmpty();
  }

  @Test
  void theJobThatWasSubmittedIsPrinted() {
    cluster.answering(
        "POST /v1/definitions",
        new ApplyAnswer(
            false,
            List.of(
                new ApplyChange("job", "load", ApplyAction.CREATED, 1, List.of(), 17L),
                new ApplyChange("job", "old", ApplyAction.UNCHANGED, 1, List.of()))));

    assertThat(run.reading("kind: job").run("apply", "-f", "-")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            job/load created (version 1), submitted as job 17
            job/old unchanged (version 1)
            """);
  }

  @Test
  void yamlFilesOfDirectoriesAreReadInOrder(@TempDir Path directory) throws IOException {
    cluster.answering("POST /v1/definitions", new ApplyAnswer(false, List.of()));
    Files.writeString(directory.resolve("b.yaml"), "b");
    Files.writeString(directory.resolve("a.yml"), "a");
    Files.writeString(directory.resolve("README.md"), "no");
    run.run("apply", "-f", directory.toString());
    assertThat(request().files()).extracting(file -> file.text()).containsExactly("a", "b");
  }

  @Test
  void nothingToApplyIsAUsageError(@TempDir Path empty) {
    assertThat(run.run("apply")).isEqualTo(2);
    assertThat(run.run("apply", "-f", empty.toString())).isEqualTo(2);
    assertThat(run.messages())
        .contains("no definition files in " + empty + "; definition files end in .yaml or .yml");
    assertThat(run.run("apply", "-f", "not-there.yaml")).isEqualTo(2);
    assertThat(run.messages()).contains("not-there.yaml");
  }

  private ApplyRequest request() {
    return Json.read(cluster.last().body(), ApplyRequest.class);
  }

  @Test
  void pruneNeedsALabelAndShowsWhatIsDeleted(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("q.yaml"), "kind: queue\nname: alert\n");
    assertThat(run.run("apply", "-f", file.toString(), "--prune")).isNotZero();
    assertThat(run.messages()).contains("--prune: name the label");
    assertThat(new CommandRun(cluster).run("apply", "-f", file.toString(), "--label", "a=b"))
        .isNotZero();

    cluster.answering(
        "POST /v1/definitions",
        new ApplyAnswer(
            true,
            List.of(new ApplyChange("queue", "old", ApplyAction.DELETED, 3, List.of(), null))));
    CommandRun dry = new CommandRun(cluster);
    assertThat(
            dry.run(
                "apply", "-f", file.toString(), "--prune", "--label", "team=billing", "--dry-run"))
        .isZero();
    assertThat(dry.output()).contains("queue/old would be deleted (version 3)");
    assertThat(request().prune()).isEqualTo(new LabelSelector("team", "billing"));
  }
}

package io.millrace.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.DefinitionView;
import io.millrace.api.definition.DefinitionView.DefinitionSummary;
import io.millrace.api.definition.DefinitionView.DefinitionVersion;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.util.List;
import org.junit.jupiter.api.Test;

class DefinitionCommandsTest {
  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void definitionsInForceAreListed() {
    cluster.answering(
        "GET /v1/definitions",
        List.of(
            new DefinitionSummary("queue", "alert", 3, "ann", CommandRun.NOW.minusSeconds(60))));

    assertThat(run.run("definition", "list")).isZero();

    assertThat(run.output()).containsPattern("queue +alert +3 +ann +1m");
  }

  @Test
  void theNumberOfAVersionCanBePastedIntoACommand() {
    cluster.answering(
        "GET /v1/definitions",
        List.of(new DefinitionSummary("queue", "alert", 1_234, "ann", CommandRun.NOW)));
    run.run("definition", "list");
    assertThat(run.output()).containsPattern("queue +alert +1234 +ann");
  }

  @Test
  void deletedDefinitionsAreListedSoThatARollbackNeedsNoMemory() {
    cluster.answering(
        "GET /v1/definitions/deleted",
        List.of(
            new DeletionView(
                "queue",
                "alert",
                3,
                DeletionMode.DRAIN,
                DeletionState.DELETED,
                "bob",
                CommandRun.NOW.minusSeconds(90),
                CommandRun.NOW.minusSeconds(60),
                0,
                List.of())));

    assertThat(run.run("definition", "list", "--deleted")).isZero();

    assertThat(run.output())
        .containsPattern("KIND +NAME +VERSION +DELETED BY +AGO")
        .containsPattern("queue +alert +3 +bob +1m");
  }

  @Test
  void theHistoryShowsWhatEachVersionChanged() {
    cluster.answering(
        "GET /v1/definitions/queue/alert/history",
        List.of(
            new DefinitionVersion(3, "bob", CommandRun.NOW, 1, List.of("- batch: 9", "+ batch: 5")),
            new DefinitionVersion(1, "ann", CommandRun.NOW, null, List.of("+ batch: 5"))));

    assertThat(run.run("definition", "history", "queue", "alert")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            version 3  2026-03-01T12:00:00Z  bob  (same as version 1)
              - batch: 9
              + batch: 5
            version 1  2026-03-01T12:00:00Z  ann
              + batch: 5
            """);
  }

  @Test
  void aVersionIsShownAsYamlWithACommentThatKeepsItValid() {
    cluster.answering(
        "GET /v1/definitions/queue/alert?version=2",
        new DefinitionView(
            "queue",
            "alert",
            2,
            false,
            "ann",
            CommandRun.NOW,
            JsonNodeFactory.instance.objectNode(),
            "kind: queue\nname: alert\n"));

    assertThat(run.run("definition", "show", "queue", "alert", "--version", "2")).isZero();

    assertThat(run.output())
        .isEqualTo(
            """
            # version 2, by ann, 2026-03-01T12:00:00Z
            kind: queue
            name: alert
            """);
  }

  @Test
  void aRollbackNamesTheVersionAndPrintsWhatChanged() {
    cluster.answering(
        "POST /v1/definitions/queue/alert/rollback",
        new ApplyChange("queue", "alert", ApplyAction.CHANGED, 4, List.of("- batch: 9")));

    assertThat(run.run("definition", "rollback", "queue", "alert", "--to", "1", "--dry-run"))
        .isZero();

    assertThat(Json.read(cluster.last().body(), RollbackRequest.class))
        .isEqualTo(new RollbackRequest(1, true));
    assertThat(run.output()).isEqualTo("queue/alert would be changed (version 4)\n  - batch: 9\n");
    assertThat(run.messages()).contains("nothing was changed");
  }

  @Test
  void anUnknownDefinitionIsExitCodeThree() {
    cluster.refusing("GET /v1/definitions", ErrorCode.UNKNOWN_DEFINITION, "no queue 'alert'");

    assertThat(run.run("definition", "show", "queue", "alert")).isEqualTo(3);
    assertThat(run.run("definition", "show", "queue", "alert", "--version", "0")).isEqualTo(2);
  }
}

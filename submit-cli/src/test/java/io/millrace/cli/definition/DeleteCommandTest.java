package io.millrace.cli.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.api.definition.DeletionView.DeletionState;
import io.millrace.cli.CommandRun;
import io.millrace.cli.FakeCluster;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeleteCommandTest {
  private static final String PATH = "POST /v1/definitions/queue/alert/delete";

  private final FakeCluster cluster = new FakeCluster();
  private final CommandRun run = new CommandRun(cluster);

  @Test
  void aQueueThatDrainsSaysWhatItWaitsFor() {
    cluster.answering(PATH, view(DeletionMode.DRAIN, DeletionState.DELETING, 0, "3 events"));
    assertThat(run.run("delete", "queue", "alert", "--drain", "--yes")).isZero();
    assertThat(run.output()).isEqualTo("queue alert is being deleted\n  waits for 3 events\n");
    assertThat(run.messages()).contains("millrace queue show alert");
  }

  @Test
  void itDeletesOnlyTheVersionThatWasShown() {
    cluster.answering(PATH, view(DeletionMode.DISCARD, DeletionState.ENDING, 0));
    assertThat(run.run("delete", "queue", "alert", "--discard", "--yes")).isZero();
    assertThat(Json.read(cluster.last().body(), DeletionRequest.class))
        .isEqualTo(new DeletionRequest(DeletionMode.DISCARD, false, 3));
  }

  @Test
  void withoutATerminalItNeedsYesAndSaysHowManyEventsAreLost() {
    cluster.answering(PATH, view(DeletionMode.DISCARD, DeletionState.ENDING, 1234));
    assertThat(run.run("delete", "queue", "alert", "--discard")).isNotZero();
    assertThat(run.messages())
        .contains("deletes the queue alert and permanently drops its 1,234 events")
        .contains("--yes");
  }

  @Test
  void runsThatAreStoppedAreNamedInAPlainSentence() {
    cluster.answering(
        "POST /v1/definitions/task/report/delete",
        view(DeletionMode.STOP, DeletionState.DELETING, 0, "run 7"));
    assertThat(run.run("delete", "task", "report", "--stop", "--yes")).isZero();
    assertThat(run.output()).contains(" is being deleted; its runs are being stopped\n");
  }

  @Test
  void aDryRunAsksNothing() {
    cluster.answering(PATH, view(DeletionMode.DISCARD, null, 12));
    assertThat(run.run("delete", "queue", "alert", "--discard", "--dry-run")).isZero();
    assertThat(run.output())
        .isEqualTo("queue alert would be deleted; its 12 events would be permanently dropped\n");
    assertThat(run.messages()).contains("dry run: nothing was changed");
  }

  @Test
  void aRefusalOfTheServerIsShownBeforeAnybodyIsAsked() {
    cluster.refusing(PATH, ErrorCode.CONFLICT, "queue alert holds 3 waiting events");
    assertThat(run.run("delete", "queue", "alert")).isNotZero();
    assertThat(run.messages()).contains("holds 3 waiting events").doesNotContain("--yes");
  }

  @Test
  void optionsOfTheOtherKindAreRefused() {
    assertThat(run.run("delete", "queue", "alert", "--stop")).isNotZero();
    assertThat(run.messages()).contains("--stop: only for a task");
    assertThat(new CommandRun(cluster).run("delete", "task", "alert", "--drain")).isNotZero();
    assertThat(new CommandRun(cluster).run("delete", "thing", "alert")).isNotZero();
    assertThat(new CommandRun(cluster).run("delete", "queue", "a", "--drain", "--discard"))
        .isNotZero();
  }

  @Test
  void jsonIsTheServersAnswer() {
    DeletionView view = view(DeletionMode.NONE, DeletionState.DELETED, 0);
    cluster.answering(PATH, view);
    assertThat(run.run("delete", "queue", "alert", "--yes", "--json")).isZero();
    assertThat(Json.read(run.output(), DeletionView.class)).isEqualTo(view);
  }

  private static DeletionView view(
      DeletionMode mode, DeletionState state, long dropped, String... waitsFor) {
    return new DeletionView(
        "queue", "alert", 3, mode, state, "ann", CommandRun.NOW, null, dropped, List.of(waitsFor));
  }
}

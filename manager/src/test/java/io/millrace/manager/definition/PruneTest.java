package io.millrace.manager.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.ApplyRequest.LabelSelector;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.manager.queue.QueueWorld;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Labels of definitions, and the deletion of what is not in the files any more. */
class PruneTest {
  private static final String BILLING =
      """
      kind: queue
      name: invoices
      labels: {team: billing, stage: 2}
      ---
      kind: queue
      name: reminders
      labels: {team: billing}
      ---
      kind: queue
      name: mails
      labels: {team: post}
      ---
      kind: queue
      name: plain
      """;

  private static final String LESS =
      """
      kind: queue
      name: invoices
      labels: {team: billing, stage: 2}
      """;

  @TempDir Path folder;
  private QueueWorld world;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
    world.reports("q1");
    world.apply(BILLING);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void onlyWhatHasTheLabelAndIsNotInTheFilesIsDeleted() {
    assertThat(actions(prune(LESS, true)))
        .containsExactly(
            Tuple.tuple("invoices", ApplyAction.UNCHANGED),
            Tuple.tuple("reminders", ApplyAction.DELETED));
    assertThat(world.removal.followed()).as("a dry run").isEmpty();

    prune(LESS, false);
    assertThat(world.removal.followed())
        .singleElement()
        .satisfies(deletion -> assertThat(deletion.queue()).isEqualTo("reminders"));
    assertThat(actions(prune(LESS, false)))
        .as("one that is being deleted already")
        .containsExactly(Tuple.tuple("invoices", ApplyAction.UNCHANGED));
  }

  @Test
  void whatDeleteRefusesIsRefusedAndThenNothingIsApplied() {
    world.report("q1", QueueWorld.segment("reminders", "q1", 7, 7));
    assertThatThrownBy(() -> prune(LESS.replace("stage: 2", "stage: 3"), false))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("queue reminders holds 7 waiting events");
    assertThat(world.queues.require("invoices").version()).isEqualTo(1);
  }

  @Test
  void labelsAreStoredShownComparedAndRolledBack() {
    ApplyChange change = world.apply(LESS.replace("stage: 2", "stage: 3")).changes().get(0);
    assertThat(change.diff()).containsExactly("-   stage: \"2\"", "+   stage: \"3\"");
    assertThat(world.definitions.version("queue", "invoices", 1).text())
        .contains("labels:", "team: billing");
    ApplyChange back =
        world.definitions.rollBack("queue", "invoices", new RollbackRequest(1, false), "ann");
    assertThat(back.version()).isEqualTo(3);
    assertThat(world.apply(LESS).changes().get(0).action()).isEqualTo(ApplyAction.UNCHANGED);
  }

  @Test
  void labelsThatAreNoneAreRefused() {
    assertThatThrownBy(() -> world.apply("{kind: queue, name: a, labels: [x]}"))
        .hasMessageContaining("labels")
        .hasMessageContaining("expected a mapping");
    assertThatThrownBy(() -> world.apply("{kind: queue, name: a, labels: {x: {y: 1}}}"))
        .hasMessageContaining("labels.x");
    assertThatThrownBy(() -> world.apply("{kind: queue, name: a, labels: {'a b': c}}"))
        .hasMessageContaining("letters");
  }

  private ApplyAnswer prune(String yaml, boolean dryRun) {
    return world.definitions.apply(
        new ApplyRequest(
            List.of(new SourceFile("test.yaml", yaml)),
            dryRun,
            new LabelSelector("team", "billing")),
        "ann");
  }

  private static List<Tuple> actions(ApplyAnswer answer) {
    return answer.changes().stream()
        .map(change -> Tuple.tuple(change.name(), change.action()))
        .toList();
  }
}

package io.millrace.manager.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.DefinitionView;
import io.millrace.api.definition.DefinitionView.DefinitionVersion;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.manager.definition.DefinitionDao.DefinitionRow;
import io.millrace.manager.definition.DefinitionKind.DefinitionKinds;
import io.millrace.manager.queue.QueueDefinitions.QueueKind;
import io.millrace.manager.queue.QueueWorld;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefinitionHistoryTest {
  private static final String ALERT =
      """
      kind: queue
      name: alert
      batch: 20
      worker:
        command: [sleep, "1.10", "~", "true", ""]
        env: {VERSION: "2.0"}
      """;

  @TempDir Path folder;
  private QueueWorld world;
  private DefinitionArchive archive;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
    archive = new DefinitionArchive(world.database, new DefinitionKinds(List.of(new QueueKind())));
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void wordsOfRulesAreShownInLowerCaseAsTheyAreWritten() {
    world.apply(ALERT + "notify: {on: [dead, paused], command: [mail, DEAD]}\n");

    String shown = archive.inForce("queue", "alert", false).text();

    assertThat(shown).contains("- dead\n", "- paused\n", "- DEAD\n").doesNotContain("- PAUSED");
    assertThat(archive.history("queue", "alert", false).get(0).diff()).contains("+   - paused");
  }

  @Test
  void everyVersionIsListedNewestFirstWithItsAuthorAndWhatItChanged() {
    world.apply(ALERT);
    world.apply(withBatch(30));

    List<DefinitionVersion> history = archive.history("queue", "alert", false);

    assertThat(history).extracting(DefinitionVersion::version).containsExactly(2, 1);
    assertThat(history).extracting(DefinitionVersion::author).containsOnly("ann");
    assertThat(history.get(0).diff()).containsExactly("- batch: 20", "+ batch: 30");
    assertThat(history.get(1).diff())
        .contains("+ batch: 20")
        .allMatch(line -> line.startsWith("+"));
    assertThat(history.get(0).appliedAt()).isAfterOrEqualTo(history.get(1).appliedAt());
  }

  @Test
  void olderVersionsAreCountedOnceTheNewerOnesTakeAMegabyte() {
    for (int version = 1; version <= 6; version++) {
      world.apply(ALERT.replace("2.0", (version + "x").repeat(60_000)));
    }

    List<DefinitionVersion> history = archive.history("queue", "alert", false);

    assertThat(history).extracting(DefinitionVersion::version).containsExactly(6, 5, 4, 3, 2, 1);
    assertThat(history.subList(0, 4)).allMatch(one -> one.diff().size() == 2);
    assertThat(history.get(4).diff())
        .containsExactly("1 lines removed, 1 added; too many to show with the newer versions");
    assertThat(history.stream().flatMap(one -> one.diff().stream()).mapToInt(String::length).sum())
        .isLessThan(1_100_000);
  }

  @Test
  void aDefinitionHasAtMostAMillionCharacters() {
    String value = "x".repeat(120_000);
    String variables =
        IntStream.range(0, 9)
            .mapToObj(i -> "V" + i + ": " + value)
            .collect(Collectors.joining(", "));

    assertThatThrownBy(() -> world.apply(ALERT.replace("VERSION: \"2.0\"", variables)))
        .hasMessageContaining("test.yaml, document 1 (line 1): longer than 1000000 characters");
  }

  @Test
  void aRollbackIsANewVersionWithTheOldContentAndTheAuthorOfTheRollback() {
    world.apply(ALERT);
    world.apply(withBatch(30));
    world.apply(withBatch(40));

    ApplyChange change = rollBack(1, false, "bob");

    assertThat(change.action()).isEqualTo(ApplyAction.CHANGED);
    assertThat(change.version()).isEqualTo(4);
    assertThat(change.diff()).containsExactly("- batch: 40", "+ batch: 20");
    assertThat(world.queues.require("alert").definition().worker().command())
        .containsExactly("sleep", "1.10", "~", "true", "");
    DefinitionVersion newest = archive.history("queue", "alert", false).get(0);
    assertThat(newest.author()).isEqualTo("bob");
    assertThat(newest.sameAs()).isEqualTo(1);
    assertThat(world.changes).hasValue(4);
  }

  @Test
  void rollbackWithoutAVersionUsesThePreviousOne() {
    world.apply(ALERT);
    world.apply(withBatch(30));
    world.apply(withBatch(40));

    rollBack(null, false, "bob");

    assertThat(world.queues.require("alert").definition().batch()).isEqualTo(30);
  }

  @Test
  void rollbackToTheVersionInForceOrAsADryRunChangesNothing() {
    world.apply(ALERT);
    world.apply(withBatch(30));

    assertThat(rollBack(2, false, "bob").action()).isEqualTo(ApplyAction.UNCHANGED);
    assertThat(rollBack(1, true, "bob").diff()).containsExactly("- batch: 30", "+ batch: 20");

    assertThat(archive.history("queue", "alert", false)).hasSize(2);
    assertThat(world.changes).hasValue(2);
  }

  @Test
  void anOldVersionThatIsInvalidTodayIsShownButNotRolledBackTo() {
    store(1, "{\"name\":\"alert\",\"batch\":20000,\"colour\":\"red\"}");
    store(2, "{\"name\":\"alert\",\"batch\":20}");

    assertThatThrownBy(() -> rollBack(1, false, "bob"))
        .isInstanceOf(MillraceException.class)
        .extracting(failure -> ((MillraceException) failure).code())
        .isEqualTo(ErrorCode.INVALID_DEFINITION);
    assertThatThrownBy(() -> rollBack(1, false, "bob"))
        .hasMessageContaining("version 1 of queue alert, batch: batch must be from 1 to 10000")
        .hasMessageContaining("version 1 of queue alert, colour: unknown key");
    assertThat(archive.history("queue", "alert", false).get(0).diff())
        .contains("- batch: 20000", "- colour: red", "+ batch: 20");
    assertThat(archive.version("queue", "alert", 1, false).text()).contains("colour: red");
    assertThat(world.queues.require("alert").version()).isEqualTo(2);
  }

  @Test
  void aVersionIsShownAsYamlThatAppliesUnchanged() {
    world.apply(ALERT);
    world.apply(withBatch(30));

    DefinitionView first = archive.version("queue", "alert", 1, false);
    DefinitionView inForce = archive.inForce("queue", "alert", false);

    assertThat(first.inForce()).isFalse();
    assertThat(inForce.inForce()).isTrue();
    assertThat(inForce.version()).isEqualTo(2);
    assertThat(world.apply(inForce.text()).changes().get(0).action())
        .isEqualTo(ApplyAction.UNCHANGED);
    world.apply(first.text());
    assertThat(archive.history("queue", "alert", false).get(0).sameAs()).isEqualTo(1);
  }

  @Test
  void unknownDefinitionsAreReportedWithTheExistingOnes() {
    world.apply(ALERT);

    for (Runnable question :
        List.<Runnable>of(
            () -> archive.history("queue", "order", false),
            () -> archive.inForce("queue", "order", false),
            () -> archive.version("queue", "alert", 2, false),
            () -> rollBack(7, false, "bob"),
            () -> rollBack(null, false, "bob"))) {
      assertThatThrownBy(question::run)
          .isInstanceOf(MillraceException.class)
          .extracting(failure -> ((MillraceException) failure).code())
          .isEqualTo(ErrorCode.UNKNOWN_DEFINITION);
    }
    assertThatThrownBy(() -> rollBack(7, false, "bob"))
        .hasMessageContaining("no version 7; use 1 to 1");
  }

  private ApplyChange rollBack(Integer version, boolean dryRun, String author) {
    return world.definitions.rollBack(
        "queue", "alert", new RollbackRequest(version, dryRun), author);
  }

  private static String withBatch(int batch) {
    return ALERT.replace("batch: 20", "batch: " + batch);
  }

  private void store(int version, String body) {
    world.database.transaction(
        handle -> {
          DefinitionDao.add(
              handle,
              new DefinitionRow("queue", "alert", version, body, "ann", world.database.now()));
          return null;
        });
  }
}

package io.millrace.manager.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.ApplyRequest.ExpectedVersion;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.api.definition.DeletionMode;
import io.millrace.api.definition.DeletionView.DeletionRequest;
import io.millrace.manager.definition.Definitions.AppliedDefinition;
import io.millrace.manager.queue.QueueWorld;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefinitionsTest {
  private static final String ALERT =
      """
      kind: queue
      name: alert
      batch: 20
      worker:
        command: [grep, -c, x]
      """;

  @TempDir Path folder;
  private QueueWorld world;

  @BeforeEach
  void open() {
    world = new QueueWorld(folder);
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aNewDefinitionIsVersionOneWithAllItsLines() {
    ApplyChange change = only(world.apply(ALERT));

    assertThat(change.action()).isEqualTo(ApplyAction.CREATED);
    assertThat(change.version()).isEqualTo(1);
    assertThat(change.diff())
        .contains("+ kind: queue", "+ name: alert", "+ batch: 20")
        .allMatch(line -> line.startsWith("+ "));
    assertThat(world.changes).hasValue(1);
    assertThat(world.definitions.inForce("queue", "alert").orElseThrow())
        .extracting(AppliedDefinition::version, AppliedDefinition::author)
        .containsExactly(1, "ann");
  }

  @Test
  void theDifferenceOfANewDefinitionIsWhatItsFileSays() {
    ApplyChange change =
        only(
            world.apply(
                "{kind: queue, name: mail, worker: {command: [send], env: {A: b}},"
                    + " pacing: {maxWorkers: 3}, labels: {team: x}}",
                true));

    assertThat(change.action()).isEqualTo(ApplyAction.CREATED);
    assertThat(change.diff())
        .containsExactly(
            "+ kind: queue",
            "+ name: mail",
            "+ pacing:",
            "+   maxWorkers: 3",
            "+ worker:",
            "+   command:",
            "+   - send",
            "+   env:",
            "+     A: b",
            "+ labels:",
            "+   team: x");
  }

  @Test
  void applyingAnEquivalentDefinitionChangesNothing() {
    world.apply(ALERT);

    for (String same :
        List.of(
            ALERT,
            "{kind: queue, maxAttempts: 5, lease: 30000ms, name: alert, batch: '20',"
                + " worker: {command: ['grep', '-c', x]}}")) {
      ApplyChange change = only(world.apply(same));
      assertThat(change.action()).isEqualTo(ApplyAction.UNCHANGED);
      assertThat(change.version()).isEqualTo(1);
      assertThat(change.diff()).isEmpty();
    }
    assertThat(world.changes).hasValue(1);
  }

  @Test
  void aChangeIsANewVersionWithRemovedAndAddedLines() {
    world.apply(ALERT);
    ApplyChange change = only(world.apply(ALERT.replace("batch: 20", "batch: 30")));

    assertThat(change.action()).isEqualTo(ApplyAction.CHANGED);
    assertThat(change.version()).isEqualTo(2);
    assertThat(change.diff()).containsExactly("- batch: 20", "+ batch: 30");
    assertThat(world.queues.require("alert").definition().batch()).isEqualTo(30);
  }

  @Test
  void aDryRunSaysWhatWouldChangeAndChangesNothing() {
    world.apply(ALERT);
    ApplyAnswer answer = world.apply(ALERT.replace("batch: 20", "batch: 30"), true);

    assertThat(answer.dryRun()).isTrue();
    assertThat(only(answer).diff()).containsExactly("- batch: 20", "+ batch: 30");
    assertThat(only(answer).version()).isEqualTo(2);
    assertThat(world.queues.require("alert").version()).isEqualTo(1);
    assertThat(world.changes).hasValue(1);
  }

  @Test
  void oneInvalidDefinitionRefusesAll() {
    assertThatThrownBy(() -> world.apply(ALERT + "---\n{kind: queue, name: order, batch: -1}"))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("batch must be from 1 to 10000");
    assertThat(world.definitions.inForce()).isEmpty();
  }

  @Test
  void aWorkerThatCouldNeverBeSubmittedIsRefused() {
    assertThatThrownBy(
            () -> world.apply(ALERT + "  pool: 'No Pool'\npacing: {lowerLimit: 9, upperLimit: 5}"))
        .hasMessageContaining("worker.pool (line 6): 'No Pool' is not a valid name")
        .hasMessageContaining("pacing.lowerLimit must be below upperLimit");
  }

  @Test
  void concurrentAppliesEachGetAVersionAndNoneIsLost() throws Exception {
    ExecutorService people = Executors.newFixedThreadPool(4);
    try {
      List<Callable<ApplyAnswer>> changes =
          List.of(
              () -> world.apply(ALERT.replace("20", "21")),
              () -> world.apply(ALERT.replace("20", "22")),
              () -> world.apply(ALERT.replace("20", "23")),
              () -> world.apply(ALERT.replace("20", "24")));
      List<Integer> versions = new ArrayList<>();
      for (Future<ApplyAnswer> answer : people.invokeAll(changes)) {
        versions.add(only(answer.get()).version());
      }
      assertThat(versions).containsExactlyInAnyOrder(1, 2, 3, 4);
    } finally {
      people.shutdownNow();
    }
  }

  @Test
  void aChangeOfAnotherVersionThanTheOneThatWasReadIsRefused() {
    world.apply(ALERT);
    assertThat(only(expecting(1, ALERT.replace("20", "30"))).version()).isEqualTo(2);

    assertThatThrownBy(() -> expecting(1, ALERT.replace("20", "40")))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.STALE_VERSION))
        .hasMessageContaining("queue alert has version 2, applied by ann")
        .hasMessageContaining("was made for version 1");
    assertThatThrownBy(() -> expecting(0, ALERT.replace("20", "40")))
        .hasMessageContaining("use another name");
    assertThat(world.queues.require("alert").definition().batch()).isEqualTo(30);
  }

  @Test
  void anExpectedVersionIsNotInForceAfterItsDeletion() {
    world.apply(ALERT);
    deleteAll();
    assertThatThrownBy(() -> expecting(1, ALERT.replace("20", "30")))
        .hasMessageContaining("queue alert was deleted by ann");
    assertThat(only(expecting(0, ALERT)).action()).isEqualTo(ApplyAction.CREATED);
  }

  @Test
  void aRollbackFromAnotherVersionThanTheOneThatWasReadIsRefused() {
    world.apply(ALERT);
    world.apply(ALERT.replace("20", "30"));
    world.apply(ALERT.replace("20", "40"));

    assertThatThrownBy(() -> rollBack(1, 2))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.STALE_VERSION))
        .hasMessageContaining("queue alert has version 3, applied by ann")
        .hasMessageContaining("was made for version 2");
    assertThat(world.queues.require("alert").version()).isEqualTo(3);
    assertThat(rollBack(1, 3).version()).isEqualTo(4);
  }

  @Test
  void aRollbackOfADeletedDefinitionIsRefusedIfItWasCreatedAgainMeanwhile() {
    world.apply(ALERT);
    deleteAll();
    world.apply(ALERT.replace("20", "30"));

    assertThatThrownBy(() -> rollBack(1, 0)).hasMessageContaining("queue alert has version 2");
    assertThat(world.queues.require("alert").version()).isEqualTo(2);
    deleteAll();
    assertThatThrownBy(() -> rollBack(1, 2)).hasMessageContaining("queue alert was deleted by ann");
    assertThat(rollBack(1, 0).action()).isEqualTo(ApplyAction.CREATED);
  }

  private ApplyChange rollBack(int version, int expected) {
    return world.definitions.rollBack(
        "queue", "alert", new RollbackRequest(version, false, expected), "ann");
  }

  private void deleteAll() {
    world.deletions.delete(
        "queue", "alert", new DeletionRequest(DeletionMode.DISCARD, false), "ann");
    for (int i = 0; i < 4; i++) {
      world.deletions.advance();
    }
  }

  private ApplyAnswer expecting(int version, String yaml) {
    return world.definitions.apply(
        new ApplyRequest(
            List.of(new SourceFile("test.yaml", yaml)),
            false,
            null,
            List.of(new ExpectedVersion("queue", "alert", version))),
        "ann");
  }

  private static ApplyChange only(ApplyAnswer answer) {
    assertThat(answer.changes()).hasSize(1);
    return answer.changes().get(0);
  }
}

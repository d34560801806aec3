package io.millrace.manager.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.MillraceException;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
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
        .hasMessageContaining("worker.pool: 'No Pool' is not a valid name")
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

  private static ApplyChange only(ApplyAnswer answer) {
    assertThat(answer.changes()).hasSize(1);
    return answer.changes().get(0);
  }
}

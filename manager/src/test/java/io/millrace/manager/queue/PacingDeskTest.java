package io.millrace.manager.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView;
import io.millrace.api.json.Json;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingRecord;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.api.queue.PauseRequest;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PacingDeskTest {
  @TempDir Path folder;
  private QueueWorld world;
  private AttemptId manager;

  @BeforeEach
  void aQueueWithTwoSegments() {
    world = new QueueWorld(folder);
    world.apply(
        "{kind: queue, name: alert, pacing: {maxWorkers: 10}, worker: {command: ['true']}}");
    world.weigh("alert", Map.of("q1", 500, "q2", 500));
    world.report("q1");
    manager = world.runManager("alert", "q1");
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void aDecisionIsRecordedWithItsReasonAndItsWorkersAreSubmitted() {
    world.desk.record("alert", "q1", start(manager, 3));

    assertThat(world.workers("alert"))
        .hasSize(3)
        .allSatisfy(
            worker -> {
              assertThat(worker.name()).isEqualTo("alert worker");
              assertThat(worker.owner()).isEqualTo("queue:alert");
              assertThat(worker.segmentNode()).isEqualTo("q1");
            });
    PacingDecisionView decision = world.catalog.decisions("alert", null, 10).get(0);
    assertThat(decision.start()).isEqualTo(3);
    assertThat(decision.attempt()).isEqualTo(manager);
    assertThat(decision.reason()).isEqualTo("because");
    assertThat(decision.inputs()).containsEntry("waiting", 7.0);
  }

  @Test
  void theNextViewShowsTheSubmittedWorkersAndTheRecordedState() {
    PacingView before = world.desk.view("alert", "q1");
    assertThat(before.state()).isNull();
    assertThat(before.segment()).hasToString("http://q1:1");

    world.desk.record("alert", "q1", start(manager, 3));
    PacingView after = world.desk.view("alert", "q1");

    assertThat(after.starting()).isEqualTo(3);
    assertThat(after.queueOutstanding()).isEqualTo(3);
    assertThat(after.state()).isEqualTo(state());
    assertThat(after.stateAt()).isBetween(before.now(), after.now());
    assertThat(world.desk.view("alert", "q2").starting()).isZero();
    assertThat(world.desk.view("alert", "q2").segment()).isNull();
  }

  @Test
  void anAttemptThatIsNotCurrentAnyMoreSubmitsAndRecordsNothing() {
    world.startAttempt(manager.job(), 2);

    assertThatThrownBy(() -> world.desk.record("alert", "q1", start(manager, 3)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_ATTEMPT));
    assertThat(world.workers("alert")).isEmpty();
    assertThat(world.catalog.decisions("alert", null, 10)).isEmpty();
    assertThat(world.desk.view("alert", "q1").state()).isNull();
  }

  @Test
  void theManagerOfAnotherSegmentSubmitsNothingHere() {
    world.runManager("alert", "q2");

    assertThatThrownBy(() -> world.desk.record("alert", "q2", start(manager, 3)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_ATTEMPT));
    assertThat(world.workers("alert")).isEmpty();
  }

  @Test
  void theCapHoldsOverAllSegmentsTogether() {
    AttemptId other = world.runManager("alert", "q2");
    world.desk.record("alert", "q1", start(manager, 7));
    world.desk.record("alert", "q2", start(other, 7));

    assertThat(world.workers("alert")).hasSize(10);
    PacingDecisionView capped = world.catalog.decisions("alert", "q2", 10).get(0);
    assertThat(capped.start()).isEqualTo(3);
    assertThat(capped.gate()).isEqualTo("MAX_WORKERS");
    assertThat(capped.reason()).contains("7 of maxWorkers 10 are outstanding");
  }

  @Test
  void whileConsumingIsPausedNoWorkersAreSubmittedAndTheDecisionSaysWho() {
    world.controls.pause("alert", new PauseRequest(false, true, "the mail server is down"), "ann");
    assertThat(world.desk.view("alert", "q1").consumingPaused()).isTrue();
    world.desk.record("alert", "q1", start(manager, 3));

    assertThat(world.workers("alert")).isEmpty();
    PacingDecisionView decision = world.catalog.decisions("alert", null, 10).get(0);
    assertThat(decision.gate()).isEqualTo("PAUSED");
    assertThat(decision.reason()).isEqualTo("because; paused by ann: the mail server is down → 0");

    world.controls.resume("alert", new PauseRequest(false, true, null), "ann");
    assertThat(world.desk.view("alert", "q1").control()).isNull();
    world.desk.record("alert", "q1", start(manager, 3));
    assertThat(world.workers("alert")).hasSize(3);
  }

  @Test
  void pausingSendingStopsNoWorkers() {
    world.controls.pause("alert", new PauseRequest(true, false, null), "ann");
    world.desk.record("alert", "q1", start(manager, 3));

    assertThat(world.workers("alert")).hasSize(3);
  }

  @Test
  void decisionsThatChangeNothingAreCountedButNotAllKept() {
    for (int tick = 0; tick < 5; tick++) {
      world.desk.record("alert", "q1", start(manager, 0));
    }

    assertThat(world.catalog.decisions("alert", null, 10)).hasSize(1);
    assertThat(world.catalog.views().get(0).managerDecisions()).isEqualTo(5);
  }

  @Test
  void workersBelongToTheDefinitionsVersionInForce() {
    world.apply("{kind: queue, name: alert, batch: 9, worker: {command: [echo, hi]}}");
    world.desk.record("alert", "q1", start(manager, 1));

    JobView worker = world.workers("alert").get(0);
    String spec =
        world.database.read(
            handle ->
                handle
                    .createQuery("select spec from job where id = :id")
                    .bind("id", worker.id())
                    .mapTo(String.class)
                    .one());
    assertThat(spec).contains("\"definitionVersion\":2", "\"batch\":9", "[\"echo\",\"hi\"]");
  }

  @Test
  void anUnknownQueueIsNamedWithWhatToDo() {
    assertThatThrownBy(() -> world.desk.view("alarm", "q1"))
        .hasMessageContaining("no queue 'alarm' is defined")
        .hasMessageContaining("millrace queue list");
  }

  private static PacingRecord start(AttemptId attempt, int workers) {
    return new PacingRecord(
        attempt, workers, "demand", "NONE", "because", Map.of("waiting", 7.0), state());
  }

  private static JsonNode state() {
    return Json.mapper().createObjectNode().put("rate", 1.5);
  }
}

package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.manager.queue.QueueWorld;
import io.millrace.platform.clock.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlaceRefillTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2026-03-01T12:00:00Z"));
  @TempDir Path folder;
  private QueueWorld world;
  private PlaceRefill refill;
  private AttemptId manager;

  @BeforeEach
  void aQueueWithFourPlaces() {
    world = new QueueWorld(folder);
    define("maxWorkers: 4");
    world.weigh("alert", Map.of("q1", 500, "q2", 500));
    world.reports("q1", "q2");
    manager = world.runManager("alert", "q1");
    refill = new PlaceRefill(world.database, world.queues, world.nodes, world.ledger, clock);
    world.ledger.watch(refill);
    refill.cycle();
  }

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void theEndOfAWorkerStartsTheNextThatWasWanted() {
    decide("q1", manager, 100, 4);
    endWorkers("q1", 3);

    assertThat(refill.cycle()).isEqualTo(3);
    assertThat(world.waiting("alert")).hasSize(4);
    assertThat(refill.cycle()).as("nothing has ended since").isZero();
  }

  @Test
  void noMoreAreStartedThanTheDecisionWanted() {
    decide("q1", manager, 6, 4);
    endWorkers("q1", 4);

    assertThat(refill.cycle()).isEqualTo(2);
    endWorkers("q1", 2);
    assertThat(refill.cycle()).isZero();
  }

  @Test
  void theNextDecisionReplacesWhatIsLeft() {
    decide("q1", manager, 100, 4);
    decide("q1", manager, 0, 0);
    endWorkers("q1", 4);

    assertThat(refill.cycle()).isZero();
    assertThat(world.waiting("alert")).isEmpty();
  }

  @Test
  void startsBetweenDecisionsAreRecordedWithTheNextOne() {
    decide("q1", manager, 100, 4);
    endWorkers("q1", 2);
    refill.cycle();
    decide("q1", manager, 0, 0);

    PacingDecisionView next = world.catalog.decisions("alert", null, null, 10).get(0);
    assertThat(next.start()).isEqualTo(2);
    assertThat(next.inputs()).containsEntry("refilled", 2.0);
    endWorkers("q1", 4);
    decide("q1", manager, 3, 2);
    PacingDecisionView last = world.catalog.decisions("alert", null, null, 10).get(0);
    assertThat(last.start()).isEqualTo(2);
    assertThat(last.inputs()).doesNotContainKey("refilled");
  }

  @Test
  void aManagerThatWasReplacedStartsNothing() {
    decide("q1", manager, 100, 4);
    world.startAttempt(manager.job(), 2);
    endWorkers("q1", 4);

    assertThat(refill.cycle()).isZero();
  }

  @Test
  void anAllowanceExpiresWithoutFurtherDecisions() {
    decide("q1", manager, 100, 4);
    world.pass("place_allowance", "decided_at", Duration.ofMinutes(1));
    endWorkers("q1", 4);

    assertThat(refill.cycle()).isZero();
  }

  @Test
  void aPausedQueueGetsNoWorkers() {
    decide("q1", manager, 100, 4);
    world.controls.pause("alert", new PauseRequest(false, true, null), "ann");
    endWorkers("q1", 4);

    assertThat(refill.cycle()).isZero();
  }

  @Test
  void anOpenBreakerLeavesProbesToDecisions() {
    decide("q1", manager, 100, 4);
    world.runs("alert", "q1", true, 20);
    endWorkers("q1", 4);

    boolean open = world.database.read(handle -> BreakerDao.open(handle, "alert").isPresent());
    assertThat(open).isTrue();
    assertThat(refill.cycle()).isZero();
  }

  @Test
  void aQueueNodeThatIsTooBusyGetsNoWorkers() {
    decide("q1", manager, 100, 4);
    world.report("q1", NodeState.TOOBUSY);
    endWorkers("q1", 4);
    assertThat(refill.cycle()).isZero();

    world.report("q1", NodeState.NORMAL);
    clock.advance(Duration.ofSeconds(1));
    assertThat(refill.cycle()).as("the periodic sweep").isEqualTo(4);
  }

  @Test
  void theRateOfEventsIsKept() {
    define("maxWorkers: 4, maxEventsPerSecond: 0.001");
    decide("q1", manager, 100, 4);
    endWorkers("q1", 1);

    assertThat(refill.cycle()).isZero();
  }

  @Test
  void workersThatWaitForASlotLimitTheStarts() {
    define("maxWorkers: 100, maxStarting: 3");
    PacingRecord limited = record(manager, 50, 3, Gate.SUBMITTED_NOT_STARTED);
    world.record("alert", "q1", limited);
    assertThat(refill.cycle()).isZero();
    endWorkers("q1", 2);

    assertThat(refill.cycle()).isEqualTo(2);
    assertThat(world.waiting("alert")).hasSize(3);
  }

  @Test
  void segmentsTakeTurnsForThePlaces() {
    AttemptId other = world.runManager("alert", "q2");
    decide("q1", manager, 50, 4);
    decide("q2", other, 50, 0);
    for (int end = 0; end < 8; end++) {
      world.end(world.waiting("alert").get(0), false);
      assertThat(refill.cycle()).isEqualTo(1);
    }

    List<JobView> waiting = world.waiting("alert");
    assertThat(waiting).hasSize(4);
    assertThat(waiting).extracting(JobView::segmentNode).contains("q1", "q2");
  }

  private void define(String pacing) {
    world.apply(
        "{kind: queue, name: alert, batch: 1, pacing: {%s}, worker: {command: ['true']}}"
            .formatted(pacing));
  }

  private void decide(String node, AttemptId attempt, int wanted, int start) {
    world.record(
        "alert",
        node,
        record(attempt, wanted, start, wanted > start ? Gate.MAX_WORKERS : Gate.NONE));
  }

  private static PacingRecord record(AttemptId attempt, int wanted, int start, Gate gate) {
    return new PacingRecord(
        attempt,
        start,
        "demand",
        gate.name(),
        "because",
        Map.of("wanted", (double) wanted, "waiting", 100.0),
        Json.mapper().createObjectNode());
  }

  private void endWorkers(String node, int count) {
    world.waiting("alert").stream()
        .filter(job -> job.segmentNode().equals(node))
        .limit(count)
        .forEach(job -> world.end(job, false));
  }
}

package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.api.insight.QueueView;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView;
import io.millrace.api.pacing.PacingDecisionView;
import io.millrace.api.pacing.PacingDecisionView.PacingExplanation;
import io.millrace.api.pacing.PacingOverride;
import io.millrace.api.pacing.PacingOverride.OverrideRequest;
import io.millrace.api.pacing.PacingRound;
import io.millrace.api.pacing.PacingRound.PacedDecision;
import io.millrace.api.pacing.PacingRound.PacedSegment;
import io.millrace.api.pacing.PacingRound.PacingAnswer;
import io.millrace.api.pacing.PacingRound.PacingRecord;
import io.millrace.api.pacing.PacingRound.PacingRoundAnswer;
import io.millrace.api.pacing.PacingView;
import io.millrace.api.queue.QueueControl.PauseRequest;
import io.millrace.api.queue.WorkerDefinition.WorkerInput;
import io.millrace.manager.queue.QueueWorld;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PacingServiceTest {
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
    world.record("alert", "q1", start(manager, 3));

    assertThat(world.workers("alert"))
        .hasSize(3)
        .allSatisfy(
            worker -> {
              assertThat(worker.name()).isEqualTo("alert worker");
              assertThat(worker.owner()).isEqualTo("queue:alert");
              assertThat(worker.segmentNode()).isEqualTo("q1");
            });
    PacingDecisionView decision = world.catalog.decisions("alert", null, null, 10).get(0);
    assertThat(decision.start()).isEqualTo(3);
    assertThat(decision.attempt()).isEqualTo(manager);
    assertThat(decision.reason()).isEqualTo("because");
    assertThat(decision.inputs()).containsEntry("waiting", 7.0);
  }

  @Test
  void theNextViewShowsTheSubmittedWorkersAndTheRecordedState() {
    PacingView before = world.view("alert", "q1");
    assertThat(before.state()).isNull();
    assertThat(before.segment()).hasToString("http://q1:1");

    world.record("alert", "q1", start(manager, 3));
    PacingView after = world.view("alert", "q1");

    assertThat(after.starting()).isEqualTo(3);
    assertThat(after.queueOutstanding()).isEqualTo(3);
    assertThat(after.state()).isEqualTo(state());
    assertThat(after.stateAt()).isBetween(before.now(), after.now());
    assertThat(world.view("alert", "q2").starting()).isZero();
    assertThat(world.view("alert", "q2").segment()).isNull();
  }

  @Test
  void aStaleAttemptSubmitsAndRecordsNothing() {
    world.startAttempt(manager.job(), 2);

    assertThatThrownBy(() -> world.record("alert", "q1", start(manager, 3)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_ATTEMPT));
    assertThat(world.workers("alert")).isEmpty();
    assertThat(world.catalog.decisions("alert", null, null, 10)).isEmpty();
    assertThat(world.view("alert", "q1").state()).isNull();
  }

  @Test
  void theManagerOfAnotherSegmentSubmitsNothingHere() {
    world.runManager("alert", "q2");

    assertThatThrownBy(() -> world.record("alert", "q2", start(manager, 3)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.STALE_ATTEMPT));
    assertThat(world.workers("alert")).isEmpty();
  }

  @Test
  void theCapHoldsOverAllSegmentsTogether() {
    AttemptId other = world.runManager("alert", "q2");
    world.record("alert", "q1", start(manager, 7));
    world.record("alert", "q2", start(other, 7));

    assertThat(world.workers("alert")).hasSize(10);
    PacingDecisionView capped = world.catalog.decisions("alert", "q2", null, 10).get(0);
    assertThat(capped.start()).isEqualTo(3);
    assertThat(capped.gate()).isEqualTo("MAX_WORKERS");
    assertThat(capped.reason()).contains("7 of maxWorkers 10 are outstanding");
  }

  @Test
  void freedWorkersAreReservedForTheSegmentBelowItsShare() {
    AttemptId other = world.runManager("alert", "q2");
    world.record("alert", "q1", start(manager, 10));
    world.record("alert", "q2", heldBack(other, 6));
    world.waiting("alert").stream().limit(3).forEach(worker -> world.end(worker, false));

    world.record("alert", "q1", start(manager, 3));
    PacingDecisionView waits = world.catalog.decisions("alert", "q1", null, 10).get(0);
    assertThat(waits.start()).isZero();
    assertThat(waits.gate()).isEqualTo("MAX_WORKERS");
    assertThat(waits.reason()).contains("reserved for segments below their share");
    world.record("alert", "q2", start(other, 3));
    assertThat(world.catalog.decisions("alert", "q2", null, 10).get(0).start()).isEqualTo(3);
  }

  @Test
  void nothingIsReservedForAManagerThatStoppedDeciding() {
    AttemptId other = world.runManager("alert", "q2");
    world.record("alert", "q2", heldBack(other, 6));
    world.pass("pacing_state", "decided_at", Duration.ofMinutes(1));

    world.record("alert", "q1", start(manager, 10));
    assertThat(world.workers("alert")).hasSize(10);
  }

  @Test
  void whileConsumingIsPausedNoWorkersAreSubmittedAndTheDecisionNamesTheUser() {
    world.controls.pause("alert", new PauseRequest(false, true, "the mail server is down"), "ann");
    assertThat(world.view("alert", "q1").consumingPaused()).isTrue();
    world.record("alert", "q1", start(manager, 3));

    assertThat(world.workers("alert")).isEmpty();
    PacingDecisionView decision = world.catalog.decisions("alert", null, null, 10).get(0);
    assertThat(decision.gate()).isEqualTo("PAUSED");
    assertThat(decision.reason()).isEqualTo("because; paused by ann: the mail server is down → 0");

    world.controls.resume("alert", new PauseRequest(false, true, null), "ann");
    assertThat(world.view("alert", "q1").control()).isNull();
    world.record("alert", "q1", start(manager, 3));
    assertThat(world.workers("alert")).hasSize(3);
  }

  @Test
  void pausingSendingDoesNotAffectWorkers() {
    world.controls.pause("alert", new PauseRequest(true, false, null), "ann");
    world.record("alert", "q1", start(manager, 3));

    assertThat(world.workers("alert")).hasSize(3);
  }

  @Test
  void decisionsThatChangeNothingAreCountedButNotAllKept() {
    for (int tick = 0; tick < 5; tick++) {
      world.record("alert", "q1", start(manager, 0));
    }

    assertThat(world.catalog.decisions("alert", null, null, 10)).hasSize(1);
    assertThat(world.catalog.views().get(0).managerDecisions()).isEqualTo(5);
  }

  @Test
  void workersBelongToTheDefinitionsVersionInForce() {
    world.apply("{kind: queue, name: alert, batch: 9, worker: {command: [echo, hi]}}");
    world.record("alert", "q1", start(manager, 1));

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
  void aRoundRecordsManyDecisionsAndRefusesOnlyTheStaleOnes() {
    AttemptId other = world.runManager("alert", "q2");
    world.startAttempt(other.job(), 2);
    PacingRound round =
        new PacingRound(
            List.of(
                new PacedDecision("alert", "q1", start(manager, 2), null),
                new PacedDecision("alert", "q2", start(other, 3), null),
                new PacedDecision("alarm", "q1", start(manager, 3), null)),
            List.of(
                new PacedSegment("alert", "q1"),
                new PacedSegment("alarm", "q1"),
                new PacedSegment("alert", "q2")));
    PacingRoundAnswer answer = world.desk.round(round);

    assertThat(answer.refused())
        .extracting(one -> one.queue() + "@" + one.node() + " " + one.problem().code())
        .containsExactlyInAnyOrder("alert@q2 STALE_ATTEMPT", "alarm@q1 UNKNOWN_QUEUE");
    assertThat(answer.refused()).anyMatch(one -> one.concerns(round.decisions().get(1)));
    assertThat(world.workers("alert")).hasSize(2);
    assertThat(answer.views()).extracting(PacingAnswer::node).containsExactly("q1", "q1", "q2");
    assertThat(answer.views().get(0).view().starting()).isEqualTo(2);
    assertThat(answer.views().get(1).problem().code()).isEqualTo("UNKNOWN_QUEUE");
    assertThat(answer.views().get(2).view().queueOutstanding()).isEqualTo(2);
  }

  @Test
  void anOverrideRaisesTheCapUntilItEndsByTheDatabasesClock() {
    world.overrides.set(
        "alert", new OverrideRequest(15, null, Duration.ofHours(2), "month end"), "ann");
    assertThat(world.view("alert", "q1").queue().pacing().maxWorkers()).isEqualTo(15);
    world.record("alert", "q1", start(manager, 15));
    assertThat(world.workers("alert")).hasSize(15);

    world.pass("pacing_override", "until_at", Duration.ofHours(3));
    assertThat(world.view("alert", "q1").queue().pacing().maxWorkers()).isEqualTo(10);
    world.record("alert", "q1", start(manager, 1));
    assertThat(world.workers("alert")).hasSize(15);
    assertThat(world.catalog.views().get(0).override()).isNull();
    assertThat(world.overrides.newest("alert", 5))
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.by()).isEqualTo("ann");
              assertThat(one.reason()).isEqualTo("month end");
              assertThat(one.endedBy()).isNull();
            });
  }

  @Test
  void anOverrideCanBeEndedEarlyOrReplaced() {
    world.overrides.set("alert", new OverrideRequest(15, null, Duration.ofHours(2), null), "ann");
    world.overrides.set(
        "alert",
        new OverrideRequest(null, Duration.ofSeconds(30), Duration.ofHours(1), null),
        "bob");
    PacingView view = world.view("alert", "q1");
    assertThat(view.queue().pacing().maxWorkers()).isEqualTo(10);
    assertThat(view.queue().pacing().waitTarget()).isEqualTo(Duration.ofSeconds(30));
    assertThat(world.catalog.views().get(0).override().words())
        .startsWith("waitTarget 30s instead of 5s set by bob until ");

    assertThat(world.overrides.end("alert", "cid")).isTrue();
    assertThat(world.overrides.end("alert", "cid")).isFalse();
    assertThat(world.view("alert", "q1").queue().pacing().waitTarget())
        .isEqualTo(Duration.ofSeconds(5));
    assertThat(world.overrides.newest("alert", 5))
        .extracting(PacingOverride::by, PacingOverride::endedBy)
        .containsExactly(tuple("bob", "cid"), tuple("ann", "bob"));
  }

  @Test
  void anOverrideWithoutValuesOrEndIsRefused() {
    assertThatThrownBy(
            () ->
                world.overrides.set(
                    "alert", new OverrideRequest(null, null, Duration.ofHours(1), null), "ann"))
        .hasMessageContaining("maxWorkers, waitTarget or both");
    assertThatThrownBy(
            () -> world.overrides.set("alert", new OverrideRequest(5, null, null, null), "ann"))
        .hasMessageContaining("for must be from 1s to 30d");
  }

  @Test
  void workersThatANodeRefusesAreNoFailuresAndWaitForAnother() {
    world.refusals("alert", "q1", 10);

    assertThat(world.catalog.views().get(0).breaker()).isNull();
    assertThat(world.waiting("alert")).hasSize(10);
  }

  @Test
  void anOpenBreakerLetsOneProbeThroughAndClosesWhenProbesSucceed() {
    world.runs("alert", "q1", true, 10);
    QueueView broken = world.catalog.views().get(0);
    assertThat(broken.breaker().reason()).startsWith("10 of the last 20 runs failed");

    world.record("alert", "q1", start(manager, 5));
    assertThat(world.waiting("alert")).isEmpty();
    PacingDecisionView held = world.catalog.decisions("alert", null, null, 1).get(0);
    assertThat(held.gate()).isEqualTo("BREAKER_OPEN");
    assertThat(held.reason()).contains("the breaker has been open since");

    for (int probe = 1; probe <= 3; probe++) {
      world.passBreaker("alert", Duration.ofSeconds(61));
      world.record("alert", "q1", start(manager, 5));
      assertThat(world.waiting("alert")).as("probe %d", probe).hasSize(1);
      world.end(world.waiting("alert").get(0), false);
    }
    assertThat(world.catalog.views().get(0).breaker()).isNull();
    world.record("alert", "q1", start(manager, 5));
    assertThat(world.waiting("alert")).hasSize(5);
  }

  @Test
  void theRateOfEventsIsSharedOverTheSegmentsByWeight() {
    world.apply(
        "{kind: queue, name: alert, batch: 50, pacing: {maxWorkers: 1000, maxEventsPerSecond: 100},"
            + " worker: {command: ['true']}}");
    AttemptId other = world.runManager("alert", "q2");
    // A share of 50 events a second, two ticks of 5 s at once: 500 events, ten workers.
    world.record("alert", "q1", start(manager, 40, 10_000));
    world.record("alert", "q2", start(other, 40, 10_000));
    assertThat(world.workers("alert")).hasSize(20);
    PacingDecisionView held = world.catalog.decisions("alert", "q1", null, 1).get(0);
    assertThat(held.gate()).isEqualTo("MAX_RATE");
    assertThat(held.start()).isEqualTo(10);

    world.record("alert", "q1", start(manager, 40, 10_000));
    assertThat(world.workers("alert")).hasSize(20);
    world.pass("pacing_rate", "filled_at", Duration.ofSeconds(4));
    world.record("alert", "q1", start(manager, 40, 10_000));
    assertThat(world.workers("alert")).hasSizeBetween(24, 25);
  }

  @Test
  void anExternalQueueHasOnePacerAndNoSegments() {
    world.apply(
        "{kind: queue, name: legacy, source: {waiting: [count, them]}, worker: {command: [work]}}");
    AttemptId pacer = world.runManager("legacy", "external");
    world.record("legacy", "external", start(pacer, 2));

    assertThat(world.workers("legacy")).hasSize(2);
    PacingView view = world.view("legacy", "external");
    assertThat(view.segment()).isNull();
    assertThat(view.starting()).isEqualTo(2);
    assertThat(view.queue().worker().input()).isEqualTo(WorkerInput.NONE);
  }

  @Test
  void theExplanationDescribesWhatLimitsTheQueue() {
    world.record("alert", "q1", start(manager, 12));
    PacingExplanation said = world.explanations.explain("alert", null, Duration.ofHours(1), 10);

    assertThat(said.words().get(0))
        .isEqualTo("alert has 10 workers of at most 10: 0 running, 10 waiting for a slot");
    assertThat(said.words())
        .anyMatch(
            line ->
                line.matches(
                    "q1, \\d+s ago: started 10 workers: because; .*"
                        + "limited: no more workers than pacing.maxWorkers may .*"));
    assertThat(said.words())
        .last()
        .asString()
        .isEqualTo(
            "in the last 1h: 10 workers started by 1 recorded decision; 1 limited by MAX_WORKERS");
    assertThat(said.decisions()).hasSize(1);
    assertThat(said.gates()).containsOnlyKeys("MAX_WORKERS");
    assertThat(said.gates().get("MAX_WORKERS")).contains("pacing.maxWorkers");
  }

  @Test
  void decisionsAreReadPageByPageNewestFirst() {
    for (int workers = 1; workers <= 5; workers++) {
      world.record("alert", "q1", start(manager, workers));
    }
    List<PacingDecisionView> first = world.catalog.decisions("alert", null, null, 3);
    List<PacingDecisionView> rest =
        world.catalog.decisions("alert", null, first.get(2).number(), 3);

    assertThat(first).hasSize(3);
    assertThat(rest).hasSize(2);
    assertThat(Stream.concat(first.stream(), rest.stream()).map(PacingDecisionView::number))
        .isSortedAccordingTo(Comparator.reverseOrder())
        .doesNotHaveDuplicates();
  }

  @Test
  void decisionsOfAPeriodEndBeforeItsEnd() {
    for (int workers = 1; workers <= 3; workers++) {
      world.record("alert", "q1", start(manager, workers));
    }
    List<PacingDecisionView> all = world.catalog.decisions("alert", null, null, 10);
    Instant oldest = all.get(2).at();
    Instant newest = all.get(0).at();

    assertThat(world.catalog.decisions("alert", null, oldest, null, null, 10)).isEqualTo(all);
    assertThat(world.catalog.decisions("alert", null, oldest, newest, null, 10))
        .allMatch(one -> one.at().isBefore(newest));
    assertThat(world.catalog.decisions("alert", null, newest.plusNanos(1000), null, null, 10))
        .isEmpty();
  }

  @Test
  void anUnknownQueueIsRefusedWithTheFix() {
    assertThatThrownBy(() -> world.view("alarm", "q1"))
        .hasMessageContaining("no queue 'alarm' is defined")
        .hasMessageContaining("millrace queue list");
  }

  @Test
  void aWorkerIsAskedToEndOnlyByTheManagerThatIsCurrentAndItsDecisionIsRecorded() {
    world.apply(
        "{kind: queue, name: orders, sessions: {key: order}, worker: {command: ['true']}}");
    AttemptId manager = world.runManager("orders", "q1");
    PacingRecord leave =
        new PacingRecord(manager, 0, "sessions", "NONE", "enough", Map.of(), state(), true);

    world.record("orders", "q1", leave);
    world.record("orders", "q1", leave);

    assertThat(world.asked).containsExactly("orders at q1", "orders at q1");
    assertThat(world.catalog.decisions("orders", null, null, 10)).hasSize(2);
    AttemptId before = new AttemptId(manager.job(), 7);
    assertThatThrownBy(
            () ->
                world.record(
                    "orders",
                    "q1",
                    new PacingRecord(
                        before, 0, "sessions", "NONE", "enough", Map.of(), state(), true)))
        .hasMessageContaining("is not the current one");
    assertThat(world.asked).hasSize(2);
  }

  private static PacingRecord start(AttemptId attempt, int workers) {
    return start(attempt, workers, 7);
  }

  private static PacingRecord start(AttemptId attempt, int workers, double waiting) {
    return new PacingRecord(
        attempt, workers, "demand", "NONE", "because", Map.of("waiting", waiting), state());
  }

  /** Of a manager that saw no free place. */
  private static PacingRecord heldBack(AttemptId attempt, int wanted) {
    return new PacingRecord(
        attempt,
        0,
        "demand",
        "MAX_WORKERS",
        "no place",
        Map.of("wanted", (double) wanted),
        state());
  }

  private static JsonNode state() {
    return Json.mapper().createObjectNode().put("rate", 1.5);
  }
}

package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.queue.NodeState;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.ThresholdPolicy.ThresholdState;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PacingDecisionTest {
  private static final PacingLimits LIMITS = new PacingLimits(40, 30, 25);

  private static PacingDecision pass(int wanted, Tick tick) {
    return pass(wanted, tick, PacingState.initial());
  }

  private static PacingDecision pass(int wanted, Tick tick, PacingState state) {
    return PacingDecision.limited(
        wanted, Reason.of("wanted"), tick.queue(), tick.workers(), LIMITS, state);
  }

  @Test
  void whatTheCapsAllowPassesUnchanged() {
    PacingDecision decision = pass(7, Tick.waiting(350));

    assertThat(decision.workers()).isEqualTo(7);
    assertThat(decision.gate()).isEqualTo(Gate.NONE);
    assertThat(decision.reason()).isEqualTo("wanted");
  }

  @Test
  void workersThatWaitForASlotStopSubmission_H179() {
    PacingDecision decision = pass(7, Tick.waiting(350).notStarted(30, 1500));

    assertThat(decision.workers()).isZero();
    assertThat(decision.gate()).isEqualTo(Gate.SUBMITTED_NOT_STARTED);
    assertThat(decision.reason())
        .isEqualTo(
            "wanted; 30 submitted workers are waiting for a slot, at most 30 may → 0 workers");
  }

  @Test
  void workersOfOtherSegmentsCountAgainstMaxWorkers() {
    PacingDecision decision = pass(20, Tick.waiting(1000).running(5, 0).elsewhere(30));

    assertThat(decision.workers()).isEqualTo(5);
    assertThat(decision.gate()).isEqualTo(Gate.MAX_WORKERS);
    assertThat(decision.wanted()).isEqualTo(20);
  }

  @Test
  void moreWorkersThanAllowedNeverGiveANegativeNumber() {
    assertThat(pass(3, Tick.waiting(1).elsewhere(500)).workers()).isZero();
  }

  @Test
  void startsPerTickAreLimited() {
    PacingDecision decision = pass(28, Tick.waiting(2000));

    assertThat(decision.workers()).isEqualTo(25);
    assertThat(decision.gate()).isEqualTo(Gate.MAX_STARTS);
  }

  @ParameterizedTest
  @CsvSource({"1,1", "2,1", "7,4", "20,10"})
  void aBusyNodeGetsHalf(int wanted, int workers) {
    assertThat(pass(wanted, Tick.waiting(1).node(NodeState.BUSY)).workers()).isEqualTo(workers);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 10})
  void aNodeThatIsTooBusyGetsFewerThanFinished_H216(int finished) {
    PacingDecision decision =
        pass(20, Tick.waiting(1).running(3, 0).finished(finished).node(NodeState.TOOBUSY));

    assertThat(decision.workers()).isLessThan(finished);
    assertThat(decision.gate()).isEqualTo(Gate.NODE_TOOBUSY);
  }

  @Test
  void theQueueOfANodeThatStaysTooBusyIsStillServedByOneWorkerAtATime() {
    assertThat(pass(20, Tick.waiting(1).node(NodeState.TOOBUSY)).workers()).isEqualTo(1);
    assertThat(pass(20, Tick.waiting(1).node(NodeState.TOOBUSY).running(1, 0)).workers()).isZero();
  }

  @Test
  void flatCompletionsAllowOnlyTheReplacementOfWhatFinished_H214() {
    PacingState flat =
        new PacingState(
            ArrivalEstimate.unknown(),
            new CompletionWatch(100, 0, 0, 0, false, 0, 5, 2),
            ThresholdState.fresh());

    PacingDecision decision = pass(9, Tick.waiting(450).running(5, 0).finished(2), flat);
    assertThat(decision.workers()).isEqualTo(2);
    assertThat(decision.gate()).isEqualTo(Gate.COMPLETIONS_FLAT);

    assertThat(pass(9, Tick.waiting(450), flat).workers())
        .as("with no work outstanding nothing can be flat")
        .isEqualTo(9);
  }

  @Test
  void everyLimitingGateIsNamedAndTheLastOneDecides() {
    PacingDecision decision =
        pass(30, Tick.waiting(1500).oldest(Duration.ZERO).node(NodeState.BUSY));

    assertThat(decision.workers()).isEqualTo(13);
    assertThat(decision.gate()).isEqualTo(Gate.NODE_BUSY);
    assertThat(decision.reason())
        .isEqualTo("wanted; maxStartsPerTick → 25 workers; the node is BUSY: half → 13 workers");
  }
}

package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.pacing.PacingSettings.DemandSettings.EventPull;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DemandPolicyTest {
  private static final Duration LATENCY = Duration.ofSeconds(2);

  private final DemandPolicy policy = new DemandPolicy();
  private final PacingSettings settings =
      PacingSettings.ofBatch(50).withLimits(new PacingLimits(1000, 1000, 1000));

  private static PacingState measured(double rate) {
    PacingState fresh = PacingState.initial();
    return new PacingState(
        new ArrivalEstimate(rate, 0.01, 0, 0, 0), fresh.completions(), fresh.threshold());
  }

  private PacingDecision decide(Tick tick, PacingState state) {
    return policy.decide(tick.snapshot(), settings, state);
  }

  @Test
  void anEmptyQueueThatNothingArrivesAtGetsNoWorker() {
    PacingDecision decision = decide(Tick.waiting(0), PacingState.initial());

    assertThat(decision.workers()).isZero();
    assertThat(decision.reason()).isEqualTo("nothing is waiting, and no worker is worth starting");
  }

  @Test
  void aSteadyStreamGetsWorkersAlthoughNothingIsWaitingAtTheTick() {
    Tick tick = Tick.waiting(0).inserted(5000).startLatency(LATENCY);

    assertThat(decide(tick, measured(1000)).workers()).isBetween(40, 41);
  }

  @Test
  void aSlowStreamGetsNoWorkerBeforeAnEventWaits() {
    Tick tick = Tick.waiting(0).inserted(1).startLatency(LATENCY);

    assertThat(decide(tick, measured(0.2)).workers()).isZero();
  }

  @Test
  void aBacklogIsSubmittedAtOnceAsFullWorkers() {
    assertThat(decide(Tick.waiting(1049), PacingState.initial()).workers()).isEqualTo(20);
  }

  @Test
  void eventsThatSubmittedWorkersWillTakeNeedNoFurtherWorker() {
    PacingDecision decision =
        decide(
            Tick.waiting(1000).notStarted(20, 1000).oldest(Duration.ofMinutes(1)),
            PacingState.initial());

    assertThat(decision.workers()).isZero();
    assertThat(decision.reason()).contains("1000 already covered").contains("about to start");
  }

  @Test
  void arrivalsUntilTheWorkerStartsAreAnticipatedAndExplainedWithTheirFigures() {
    PacingDecision decision =
        decide(
            Tick.waiting(412).inserted(100).startLatency(LATENCY).notStarted(7, 350), measured(20));

    assertThat(decision.workers()).isEqualTo(2);
    assertThat(decision.wanted()).isEqualTo(2);
    assertThat(decision.gate()).isEqualTo(Gate.NONE);
    assertThat(decision.reason())
        .matches(
            "412 waiting \\+ 20/s measured arrivals for 2 s − 350 already covered"
                + " = 102 → 2 full workers");
  }

  @Test
  void aBatchThatIsNotFullWaitsWhileTheOldestEventKeepsTheWaitTarget() {
    PacingSettings patient =
        settings.withDemand(settings.demand().withWaitTarget(Duration.ofSeconds(20)));
    Tick tick = Tick.waiting(12).startLatency(LATENCY).oldest(Duration.ofSeconds(3));

    PacingDecision decision = policy.decide(tick.snapshot(), patient, PacingState.initial());

    assertThat(decision.workers()).isZero();
    assertThat(decision.reason()).contains("no full worker, and the oldest (3 s) is within");
  }

  @Test
  void oneWorkerThatIsNotFullStartsWhenTheOldestEventWouldMissTheWaitTarget() {
    PacingSettings patient =
        settings.withDemand(settings.demand().withWaitTarget(Duration.ofSeconds(20)));
    Tick tick = Tick.waiting(12).startLatency(LATENCY).oldest(Duration.ofSeconds(14));

    PacingDecision decision = policy.decide(tick.snapshot(), patient, PacingState.initial());

    assertThat(decision.workers()).isEqualTo(1);
    assertThat(decision.reason()).contains("the oldest (14 s) would miss the wait target of 20 s");
  }

  @Test
  void runningWorkersThatWillTakeTheRestSpareTheWorkerThatIsNotFull() {
    Tick tick =
        Tick.waiting(12)
            .oldest(Duration.ofMinutes(1))
            .running(1, 30)
            .runTime(Duration.ofSeconds(5))
            .startLatency(LATENCY);

    assertThat(decide(tick, PacingState.initial()).workers()).isZero();
  }

  @Test
  void aRunningWorkerTooSlowToReachTheRestDoesNotSpareIt() {
    Tick tick =
        Tick.waiting(12)
            .oldest(Duration.ofMinutes(1))
            .running(1, 30)
            .runTime(Duration.ofHours(1))
            .startLatency(LATENCY);

    assertThat(decide(tick, PacingState.initial()).workers()).isEqualTo(1);
  }

  @Test
  void workersThatTakeEventsWhileRunningArePlannedForTheirRunAsWell() {
    PacingSettings gradual =
        settings.withDemand(settings.demand().withPull(EventPull.WHILE_RUNNING));
    Tick tick =
        Tick.waiting(10).inserted(5000).startLatency(LATENCY).runTime(Duration.ofSeconds(8));

    int atOnce = decide(tick, measured(1000)).workers();
    int whileRunning = policy.decide(tick.snapshot(), gradual, measured(1000)).workers();

    assertThat(whileRunning).isGreaterThan(3 * atOnce);
  }

  @Test
  void anOverloadThatDelaysStartsDoesNotRequestEverMoreWorkers_H215() {
    Tick slow = Tick.waiting(100).inserted(5000).startLatency(Duration.ofMinutes(10));

    int max = (100 + 30 * 1000 + (int) Math.sqrt(30 * 1000)) / 50;
    assertThat(decide(slow, measured(1000)).wanted()).isLessThanOrEqualTo(max);
  }

  @Test
  void aSegmentThatCannotBeReadGetsNoWorkers_H157() {
    PacingSnapshot blind =
        new PacingSnapshot(
            Duration.ofSeconds(5), Optional.empty(), Optional.of(Tick.waiting(0).workers()));

    PacingDecision decision = policy.decide(blind, settings, measured(1000));

    assertThat(decision.workers()).isZero();
    assertThat(decision.gate()).isEqualTo(Gate.NO_FIGURES);
    assertThat(decision.reason()).contains("the segment could not be read");
    assertThat(decision.state().arrivals().rate()).isEqualTo(1000);
  }

  @Test
  void workersThatCannotBeCountedStopSubmission() {
    PacingSnapshot blind =
        new PacingSnapshot(
            Duration.ofSeconds(5), Optional.of(Tick.waiting(900).queue()), Optional.empty());

    PacingDecision decision = policy.decide(blind, settings, measured(1000));

    assertThat(decision.workers()).isZero();
    assertThat(decision.reason()).contains("the workers could not be read");
  }

  @Test
  void lingeringWorkersWithSpareCapacityReplaceFurtherStarts() {
    PacingSettings lingering =
        settings.withDemand(settings.demand().withLinger(Duration.ofSeconds(5)));
    Tick room =
        Tick.waiting(0)
            .inserted(10)
            .startLatency(LATENCY)
            .runTime(Duration.ofSeconds(5))
            .running(1, 45);
    Tick full = Tick.waiting(0).inserted(10).startLatency(LATENCY).running(1, 2);

    assertThat(policy.decide(room.snapshot(), lingering, measured(2)).workers()).isZero();
    assertThat(policy.decide(full.snapshot(), lingering, measured(2)).workers()).isEqualTo(1);
  }

  @Test
  void asManyLingerAsAreBusyAndTheirSquareRoot() {
    PacingSettings lingering =
        settings.withDemand(settings.demand().withLinger(Duration.ofSeconds(30)));
    // 40/s at 2 s of work per event keep 80 busy; nine more for chance, some for those that end.
    Tick tick =
        Tick.waiting(0)
            .inserted(200)
            .startLatency(LATENCY)
            .runTime(Duration.ofSeconds(100))
            .running(60, 60);

    assertThat(policy.decide(tick.snapshot(), lingering, measured(40)).workers()).isBetween(15, 40);
  }
}

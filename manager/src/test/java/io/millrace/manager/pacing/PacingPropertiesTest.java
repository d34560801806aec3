package io.millrace.manager.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.Json;
import io.millrace.api.queue.NodeState;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.ThresholdPolicy.ThresholdState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class PacingPropertiesTest {
  private static final int BATCH = 50;
  private static final PacingLimits WIDE = new PacingLimits(1 << 28, 1 << 28, 1 << 28);

  @Provide
  Arbitrary<PacingSnapshot> snapshots() {
    Arbitrary<Duration> since = Arbitraries.longs().between(0, 120_000).map(Duration::ofMillis);
    Arbitrary<QueueFigures> queues =
        Combinators.combine(
                Arbitraries.longs().between(0, 2_000_000),
                Arbitraries.longs().between(0, 5_000_000),
                Arbitraries.longs().between(0, 5_000_000),
                Arbitraries.longs().between(0, 600).map(Duration::ofSeconds),
                Arbitraries.of(NodeState.class))
            .as(
                (waiting, inserted, acked, age, node) ->
                    new QueueFigures(waiting, 0, inserted, acked, age, node));
    Arbitrary<Integer> workerCounts = Arbitraries.integers().between(0, 300);
    Arbitrary<Optional<Duration>> times =
        Arbitraries.longs().between(0, 3600).map(Duration::ofSeconds).optional();
    Arbitrary<WorkerFigures> workers =
        Combinators.combine(
                workerCounts,
                workerCounts,
                Arbitraries.longs().between(0, 5_000),
                workerCounts,
                times,
                times,
                workerCounts)
            .as(
                (notStarted, running, open, finished, latency, run, elsewhere) ->
                    new WorkerFigures(
                        notStarted,
                        running,
                        (long) notStarted * BATCH,
                        open,
                        0,
                        finished,
                        latency,
                        run,
                        notStarted + running + elsewhere));
    return Combinators.combine(since, queues.optional(0.95), workers.optional(0.95))
        .as(PacingSnapshot::new);
  }

  @Provide
  Arbitrary<PacingSettings> settings() {
    Arbitrary<Integer> caps = Arbitraries.integers().between(1, 500);
    return Combinators.combine(
            Arbitraries.of("demand", "threshold"),
            Arbitraries.of(500, 1000, 5000),
            Combinators.combine(caps, caps, caps).as(PacingLimits::new))
        .as(
            (policy, tick, limits) ->
                PacingSettings.ofBatch(BATCH)
                    .withPolicy(policy)
                    .withTick(Duration.ofMillis(tick))
                    .withLimits(limits));
  }

  private static List<PacingDecision> decideAll(
      List<PacingSnapshot> snapshots, PacingSettings settings) {
    PacingPolicy policy = PacingPolicy.named(settings.policy());
    List<PacingDecision> decisions = new ArrayList<>();
    PacingState state = PacingState.initial();
    for (PacingSnapshot snapshot : snapshots) {
      decisions.add(policy.decide(snapshot, settings, state));
      state = decisions.get(decisions.size() - 1).state();
    }
    return decisions;
  }

  @Property(tries = 300)
  void noDecisionIsNegativeOrAboveACapAndEveryRateStaysFinite(
      @ForAll("settings") PacingSettings settings,
      @ForAll List<@From("snapshots") PacingSnapshot> ticks) {
    List<PacingDecision> decisions = decideAll(ticks, settings);
    for (int tick = 0; tick < ticks.size(); tick++) {
      PacingDecision decision = decisions.get(tick);
      assertThat(decision.workers()).isBetween(0, settings.limits().maxStartsPerTick());
      assertThat(decision.reason()).isNotBlank();
      assertThat(decision.state().arrivals().rate()).isFinite().isNotNegative();
      assertThat(decision.state().arrivals().variance()).isFinite().isNotNegative();
      assertThat(decision.state().threshold().rate()).isFinite().isNotNegative();
      ticks
          .get(tick)
          .workers()
          .filter(workers -> decision.workers() > 0)
          .ifPresent(
              workers -> {
                assertThat(workers.outstandingInCluster() + decision.workers())
                    .isLessThanOrEqualTo(settings.limits().maxWorkers());
                assertThat(workers.notStarted() + decision.workers())
                    .isLessThanOrEqualTo(settings.limits().maxNotStarted());
              });
    }
  }

  @Property(tries = 300)
  void aStateReadBackFromJsonDecidesTheSame(
      @ForAll("settings") PacingSettings settings,
      @ForAll List<@From("snapshots") PacingSnapshot> ticks,
      @ForAll("snapshots") PacingSnapshot next) {
    List<PacingDecision> decisions = decideAll(ticks, settings);
    PacingState state =
        decisions.isEmpty() ? PacingState.initial() : decisions.get(decisions.size() - 1).state();
    PacingPolicy policy = PacingPolicy.named(settings.policy());

    PacingState readBack = Json.read(Json.write(state), PacingState.class);

    assertThat(readBack).isEqualTo(state);
    assertThat(policy.decide(next, settings, readBack))
        .isEqualTo(policy.decide(next, settings, state));
  }

  @Property
  void demandSubmitsNothingForAnEmptyQueueOrOneThatIsCovered(
      @ForAll @LongRange(max = 1_000_000) long waiting, @ForAll @IntRange(max = 600) int age) {
    int workers = (int) ((waiting + BATCH - 1) / BATCH);
    Tick tick =
        Tick.waiting(waiting)
            .notStarted(workers, (long) workers * BATCH)
            .oldest(Duration.ofSeconds(age));
    PacingSettings settings = PacingSettings.ofBatch(BATCH).withLimits(WIDE);

    assertThat(new DemandPolicy().decide(tick.snapshot(), settings, PacingState.initial()).wanted())
        .isZero();
  }

  @Property
  void demandNeverCoversMoreThanBacklogAndArrivalsOfItsHorizonAndTheirChanceByMoreThanABatch(
      @ForAll @LongRange(max = 10_000_000) long waiting,
      @ForAll @IntRange(max = 20_000) int notStarted,
      @ForAll @DoubleRange(max = 5000) double rate,
      @ForAll @IntRange(min = 1, max = 600) int latency) {
    PacingSettings settings = PacingSettings.ofBatch(BATCH).withLimits(WIDE);
    PacingState state =
        new PacingState(
            new ArrivalEstimate(rate, 1, 0, 0, 0), CompletionWatch.fresh(), ThresholdState.fresh());
    long open = (long) notStarted * BATCH;
    Tick tick =
        Tick.waiting(waiting)
            .since(Duration.ZERO)
            .notStarted(notStarted, open)
            .oldest(Duration.ofMinutes(5))
            .startLatency(Duration.ofSeconds(latency));

    long submitted = new DemandPolicy().decide(tick.snapshot(), settings, state).workers();

    double horizon = Math.min(latency, 30);
    double need = waiting + rate * horizon + Math.sqrt(rate * horizon);
    assertThat(submitted * BATCH).isLessThanOrEqualTo((long) Math.max(0, need - open) + BATCH);
  }

  @Property(tries = 200)
  void whatGatesHeldBackDuringAnOutageIsNotMadeUpForAfterIt(
      @ForAll @IntRange(min = 1, max = 500) int ticksOfOutage,
      @ForAll @LongRange(min = 1000, max = 1_000_000) long backlog) {
    PacingSettings narrow = PacingSettings.ofBatch(BATCH).withLimits(new PacingLimits(20, 20, 20));
    DemandPolicy policy = new DemandPolicy();
    PacingState state = PacingState.initial();
    for (int tick = 0; tick < ticksOfOutage; tick++) {
      Tick stuck = Tick.waiting(backlog).inserted(backlog).notStarted(20, 20L * BATCH);
      PacingDecision decision = policy.decide(stuck.snapshot(), narrow, state);
      assertThat(decision.workers()).isZero();
      state = decision.state();
    }
    PacingSettings wide = narrow.withLimits(WIDE);
    long covered = backlog - backlog % BATCH - 3 * BATCH;
    Tick after =
        Tick.waiting(backlog).inserted(backlog).notStarted((int) (covered / BATCH), covered);

    // Nothing arrives any more, so that a rest has nothing to wait for.
    int rest = backlog % BATCH > 0 ? 1 : 0;
    int workers = policy.decide(after.snapshot(), wide, state).workers();
    assertThat(workers).isBetween(3, 3 + rest);
  }

  @Property(tries = 50)
  void aStreamOfAnyShapeIsServedWithFewRunsThatAreNotFull(
      @ForAll("shapes") List<Integer> ratesPerMinute) {
    PacingSettings settings =
        PacingSettings.ofBatch(BATCH).withTick(Duration.ofSeconds(1)).withLimits(WIDE);
    int seconds = 60 * ratesPerMinute.size();

    ClosedLoop.Totals totals =
        new ClosedLoop(settings, 2, 5)
            .run(seconds + 30, second -> second < seconds ? rate(ratesPerMinute, second) : 0);

    assertThat(totals.leftOver()).isZero();
    // A worker that is not full starts at most once per wait target less latency and tick.
    long partialRuns = (seconds + 30L) / 2 + 1;
    // A drop is noticed after two ticks: so long the arrivals of the start latency are covered.
    long vanished = ratesPerMinute.stream().collect(Collectors.summingInt(rate -> rate)) * 5L;
    assertThat(totals.runs())
        .isLessThanOrEqualTo(totals.events() / BATCH + partialRuns + vanished / BATCH);
  }

  @Provide
  Arbitrary<List<Integer>> shapes() {
    return Arbitraries.integers().between(0, 2000).list().ofMinSize(1).ofMaxSize(10);
  }

  private static double rate(List<Integer> ratesPerMinute, double second) {
    return ratesPerMinute.get((int) second / 60);
  }
}

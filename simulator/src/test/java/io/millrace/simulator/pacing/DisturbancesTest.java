package io.millrace.simulator.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.simulator.pacing.ComparedPolicies.ComparedPolicy;
import io.millrace.simulator.pacing.PacingResult.PacingSample;
import io.millrace.simulator.pacing.Scenario.BuiltinScenario;
import io.millrace.simulator.pacing.Scenario.Cluster;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What must not happen any more: figures B.58 to B.62. */
class DisturbancesTest {
  private static final Duration TICK = Duration.ofSeconds(5);
  private static final WorkerBehaviour EXIT =
      WorkerBehaviour.exit(50, Duration.ofSeconds(2), Duration.ofSeconds(5));
  private static final WorkerBehaviour LINGER =
      WorkerBehaviour.linger(50, Duration.ofSeconds(2), Duration.ofSeconds(5));

  private static WorkerBehaviour workers(WorkerBehaviour.Kind kind) {
    return kind == WorkerBehaviour.Kind.EXIT ? EXIT : LINGER;
  }

  private static List<PacingSample> perSecond(Scenario scenario, ComparedPolicy contender) {
    Curves curves = Curves.of(scenario.seconds(), (int) scenario.seconds());
    new PacingSimulation(scenario, contender).run(curves);
    return curves.samples();
  }

  private static double workersWithin(List<PacingSample> samples, double from, double until) {
    return samples.stream()
        .filter(sample -> sample.second() > from && sample.second() <= until)
        .mapToDouble(PacingSample::workers)
        .sum();
  }

  private static long waitingAt(List<PacingSample> samples, double second) {
    return samples.get((int) second - 1).waiting();
  }

  @ParameterizedTest
  @EnumSource(WorkerBehaviour.Kind.class)
  void theSuccessorOfACrashedManagerStartsOnlyNeededWorkers_H217_H218(WorkerBehaviour.Kind kind) {
    Scenario crash = BuiltinScenario.CRASH.scenario(workers(kind));
    List<PacingSample> samples =
        perSecond(crash, ComparedPolicies.uncapped(crash.workers(), TICK).named("demand"));
    double back = 3600 + 300;
    double needed = (waitingAt(samples, back) + 60 * 20) / 50.0;

    assertThat(workersWithin(samples, back, back + 60)).isLessThanOrEqualTo(1.10 * needed + 1);
    assertThat(waitingAt(samples, back + 20)).isLessThan(200);
  }

  @ParameterizedTest
  @EnumSource(WorkerBehaviour.Kind.class)
  void anUnservedBacklogCausesNoWindup_H181_H182(WorkerBehaviour.Kind kind) {
    Scenario backlog = BuiltinScenario.BACKLOG.scenario(workers(kind));
    PacingResult result =
        new PacingSimulation(
                backlog, ComparedPolicies.uncapped(backlog.workers(), TICK).named("demand"))
            .run();

    assertThat(result.mostWaiting()).isGreaterThan(20 * 60 * 20 - 200);
    assertThat(result.leftOver()).isLessThan(200);
    assertThat(result.runs()).isLessThan((long) (1.25 * result.floorRuns()));
  }

  @ParameterizedTest
  @EnumSource(WorkerBehaviour.Kind.class)
  void anOverloadedNodeGetsFewWorkersAndRecovers_H214_H216(WorkerBehaviour.Kind kind) {
    Scenario overload = BuiltinScenario.OVERLOAD.scenario(workers(kind));
    ComparedPolicies contenders = ComparedPolicies.uncapped(overload.workers(), TICK);
    PacingResult demand = new PacingSimulation(overload, contenders.named("demand")).run();
    PacingResult keda = new PacingSimulation(overload, contenders.named("keda-accurate")).run();

    assertThat(demand.leftOver()).isLessThan(200);
    assertThat(demand.mostOutstanding()).isLessThan(keda.mostOutstanding());
    assertThat(demand.runs()).isLessThan((long) (1.3 * demand.floorRuns()));
  }

  @Test
  void aSlowBatchSystemIsNotFlooded_H179_H215() {
    Scenario slow = BuiltinScenario.BATCH_SYSTEM.scenario(EXIT);
    PacingResult demand =
        new PacingSimulation(slow, ComparedPolicies.uncapped(EXIT, TICK).named("demand")).run();

    assertThat(demand.leftOver()).isLessThan(200);
    assertThat(demand.runs()).isLessThan((long) (1.10 * demand.floorRuns()));
  }

  @Test
  void eventsOfFailedWorkersAreRetriedAndDoNotCountAsArrivals_H178() {
    Scenario failing = BuiltinScenario.FAILING.scenario(EXIT);
    PacingResult demand =
        new PacingSimulation(failing, ComparedPolicies.uncapped(EXIT, TICK).named("demand")).run();

    // Half of the events of 20 min are done twice, a quarter three times …: twice the work.
    double again = 20 * 60 * 20 / 50.0;
    assertThat(demand.failedRuns()).isGreaterThan((long) (0.8 * again));
    assertThat(demand.runs()).isLessThan((long) (1.10 * (demand.floorRuns() + again)));
    assertThat(demand.leftOver()).isLessThan(200);
  }

  @Test
  void occupiedSlotsDelayWorkersWithoutLosingAny() {
    Scenario narrow =
        Scenario.of("narrow", RateCurve.constant(20), 3600, EXIT)
            .with(new Cluster(3, Double.POSITIVE_INFINITY, 100));
    PacingResult demand =
        new PacingSimulation(narrow, ComparedPolicies.uncapped(EXIT, TICK).named("demand")).run();

    assertThat(demand.runs()).isLessThan((long) (1.05 * demand.floorRuns()) + 20);
    assertThat(demand.leftOver()).isLessThan(500);
  }

  @Test
  void waitingForSlotsDoesNotCauseFurtherSubmissions_H182() {
    Scenario crash =
        BuiltinScenario.CRASH.scenario(EXIT).with(new Cluster(3, Double.POSITIVE_INFINITY, 100));
    PacingResult demand =
        new PacingSimulation(crash, ComparedPolicies.uncapped(EXIT, TICK).named("demand")).run();

    assertThat(demand.mostOutstanding()).as("many waited for a slot").isGreaterThan(100);
    assertThat(demand.emptyRuns()).isZero();
    assertThat(demand.leftOver()).isLessThan(200);
  }
}

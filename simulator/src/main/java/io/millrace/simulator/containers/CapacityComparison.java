package io.millrace.simulator.containers;

import io.millrace.simulator.pacing.CurvesChart;
import io.millrace.simulator.pacing.WorkerBehaviour;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The arrangements side by side on the same days. Equal seeds give equal arrivals to all of them.
 * Used by one thread.
 */
public final class CapacityComparison {
  private static final List<CurvesChart.Panel<CapacitySample>> PANELS =
      List.of(
          new CurvesChart.Panel<>("consumers or workers needed", CapacitySample::needed),
          new CurvesChart.Panel<>("consumers or workers held", CapacitySample::held),
          new CurvesChart.Panel<>("waiting events", CapacitySample::waiting),
          new CurvesChart.Panel<>("age of the oldest waiting event, s", CapacitySample::delay));

  private final CapacityDay day;
  private final ContainerSettings containers;
  private final double reserve;
  private final int days;
  private final List<CurvesChart.Line<CapacitySample>> firstDay = new ArrayList<>();

  /**
   * A comparison that has not begun.
   *
   * @param reserve of the static configuration, as so many times what the usual peak needs
   * @param days that differ by chance
   */
  public CapacityComparison(
      CapacityDay day, ContainerSettings containers, double reserve, int days) {
    if (days < 1) {
      throw new IllegalArgumentException("--seeds is at least 1");
    }
    this.day = day;
    this.containers = containers;
    this.reserve = reserve;
    this.days = days;
  }

  /** Means over the days, one for each arrangement. */
  public List<CapacityResult> run() {
    List<List<CapacityResult>> results = new ArrayList<>();
    firstDay.clear();
    for (long seed = 1; seed <= days; seed++) {
      results.add(day(seed));
    }
    List<CapacityResult> means = new ArrayList<>();
    for (int i = 0; i < results.get(0).size(); i++) {
      int arrangement = i;
      means.add(mean(results.stream().map(one -> one.get(arrangement)).toList()));
    }
    return means;
  }

  private List<CapacityResult> day(long seed) {
    List<CapacityResult> results = new ArrayList<>();
    List<Arrangement> arrangements =
        List.of(new FixedArrangement(reserve), new ContainersArrangement(containers, seed));
    for (Arrangement one : arrangements) {
      ConsumersDay consumers = new ConsumersDay(day, one, seed);
      results.add(consumers.run());
      keep(one.name(), consumers.samples(), seed);
    }
    for (WorkerBehaviour.Kind model : WorkerBehaviour.Kind.values()) {
      WorkersDay workers = new WorkersDay(day, model, seed);
      CapacityResult result = workers.run();
      results.add(result);
      keep(result.arrangement(), workers.samples(), seed);
    }
    return results;
  }

  private void keep(String name, List<CapacitySample> samples, long seed) {
    if (seed == 1) {
      firstDay.add(new CurvesChart.Line<>(name, samples));
    }
  }

  private static CapacityResult mean(List<CapacityResult> results) {
    return new CapacityResult(
        results.get(0).arrangement(),
        mean(results, CapacityResult::heldHours),
        mean(results, CapacityResult::neededHours),
        mean(results, CapacityResult::mostHeld),
        mean(results, CapacityResult::events),
        mean(results, CapacityResult::meanWait),
        mean(results, CapacityResult::p99Wait),
        mean(results, CapacityResult::longestWait),
        mean(results, CapacityResult::enoughAfterBurst),
        mean(results, CapacityResult::calmAfterBurst),
        mean(results, CapacityResult::calmAfterLoss),
        mean(results, CapacityResult::moves),
        mean(results, CapacityResult::starts),
        mean(results, CapacityResult::leftOver));
  }

  private static double mean(
      List<CapacityResult> results, ToDoubleFunction<CapacityResult> figure) {
    return results.stream().mapToDouble(figure).average().orElseThrow();
  }

  /** The first day's curves as an SVG document; after a run. */
  public String chart() {
    return CurvesChart.of(
        "A day from 04:00 with a burst and the loss of a node",
        CapacitySample::second,
        PANELS,
        firstDay);
  }
}

package io.millrace.simulator.replay;

import io.millrace.simulator.pacing.ComparedPolicies.ComparedPolicy;
import io.millrace.simulator.pacing.Curves;
import io.millrace.simulator.pacing.PacingResult;
import io.millrace.simulator.pacing.PacingResult.PacingSample;
import io.millrace.simulator.pacing.PacingSimulation;
import io.millrace.simulator.pacing.PacingSimulation.CompetingWorkers;
import io.millrace.simulator.pacing.PacingSimulation.PacingWatch;
import io.millrace.simulator.pacing.Scenario;
import io.millrace.simulator.pacing.Waits;
import io.millrace.simulator.replay.RecordingReplay.ReplayRow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Simulates the segments of one queue in parallel: their workers share the slots and the queue's
 * caps. Used by one thread, once.
 */
final class SegmentsRun {
  private static final int CHART_POINTS = 600;

  private final List<PacingSimulation> segments = new ArrayList<>();
  private final List<Curves> curves = new ArrayList<>();
  private int mostWorkers;

  void add(Scenario scenario, ComparedPolicy policy, PacingWatch watch) {
    int own = segments.size();
    CompetingWorkers others =
        new CompetingWorkers() {
          @Override
          public int onSlots() {
            return sumOfOthers(own, PacingSimulation::running);
          }

          @Override
          public int ofQueue() {
            return sumOfOthers(own, PacingSimulation::outstanding);
          }
        };
    segments.add(new PacingSimulation(scenario, policy, others, watch));
    curves.add(Curves.of(scenario.seconds(), CHART_POINTS));
  }

  private int sumOfOthers(int own, ToIntFunction<PacingSimulation> figure) {
    int sum = 0;
    for (int i = 0; i < segments.size(); i++) {
      sum += i == own ? 0 : figure.applyAsInt(segments.get(i));
    }
    return sum;
  }

  void run() {
    for (long step = 0; segments.get(0).goesOn(step); step++) {
      int workers = 0;
      for (int i = 0; i < segments.size(); i++) {
        segments.get(i).advance(step, curves.get(i));
        workers += segments.get(i).outstanding();
      }
      mostWorkers = Math.max(mostWorkers, workers);
    }
  }

  ReplayRow row(String name, String policy, ReplayRow.Seen seen) {
    Waits waits = new Waits();
    long events = 0;
    long runs = 0;
    long floor = 0;
    long left = 0;
    double waited = 0;
    double longest = 0;
    double held = 0;
    for (PacingSimulation segment : segments) {
      PacingResult result = segment.result();
      waits.add(segment.waits());
      events += result.events();
      runs += result.runs();
      floor += result.floorRuns();
      left += result.leftOver();
      waited += result.meanWait() * result.events();
      longest = Math.max(longest, result.longestWait());
      held += segment.workerSeconds();
    }
    double mean = events == 0 ? 0 : waited / events;
    double p99 = waits.quantile(0.99);
    return new ReplayRow(
        name, policy, events, runs, floor, mean, p99, longest, mostWorkers, held, left, seen);
  }

  /** The curves of the queue. */
  List<PacingSample> samples() {
    List<PacingSample> sums = new ArrayList<>(curves.get(0).samples());
    for (Curves other : curves.subList(1, curves.size())) {
      List<PacingSample> more = other.samples();
      for (int i = 0; i < Math.min(sums.size(), more.size()); i++) {
        sums.set(i, sum(sums.get(i), more.get(i)));
      }
    }
    return sums;
  }

  private static PacingSample sum(PacingSample one, PacingSample other) {
    return new PacingSample(
        one.second(),
        one.arrivals() + other.arrivals(),
        one.workers() + other.workers(),
        one.waiting() + other.waiting(),
        Math.max(one.delay(), other.delay()));
  }
}

package io.millrace.simulator.containers;

import io.millrace.simulator.containers.Arrangement.FixedArrangement;
import io.millrace.simulator.containers.CapacityResult.CapacitySample;
import io.millrace.simulator.containers.CapacityResult.CapacityTrack;
import io.millrace.simulator.pacing.ComparedPolicies;
import io.millrace.simulator.pacing.ComparedPolicies.ComparedPolicy;
import io.millrace.simulator.pacing.Curves;
import io.millrace.simulator.pacing.PacingSimulation;
import io.millrace.simulator.pacing.PacingSimulation.CompetingWorkers;
import io.millrace.simulator.pacing.PacingSimulation.PacingWatch;
import io.millrace.simulator.pacing.Scenario;
import io.millrace.simulator.pacing.Scenario.Cluster;
import io.millrace.simulator.pacing.Scenario.Disturbance;
import io.millrace.simulator.pacing.Scenario.Disturbance.Kind;
import io.millrace.simulator.pacing.Scenario.Spread;
import io.millrace.simulator.pacing.Waits;
import io.millrace.simulator.pacing.WorkerBehaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Compares the arrangements on the same days. Equal seeds give equal arrivals to all of them. Used
 * by one thread.
 */
public final class CapacityComparison {
  private final CapacityDay day;
  private final ContainerSettings containers;
  private final double reserve;
  private final int days;
  private final Map<String, List<CapacitySample>> firstDay = new LinkedHashMap<>();

  /**
   * A comparison that has not started.
   *
   * @param reserve consumers of the static configuration as a multiple of those needed at the usual
   *     peak
   * @param days number of random days
   */
  public CapacityComparison(
      CapacityDay day, ContainerSettings containers, double reserve, int days) {
    if (days < 1) {
      throw new IllegalArgumentException("--seeds: use at least 1");
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
      firstDay.put(name, samples);
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

  /** The curves of the first day of the last run, by arrangement in the order of the results. */
  public Map<String, List<CapacitySample>> firstDay() {
    return Collections.unmodifiableMap(firstDay);
  }

  /** A day with an arrangement of permanent consumers. Used by one thread, once. */
  static final class ConsumersDay {
    private final Arrangement arrangement;
    private final ConsumerCluster cluster;
    private final CapacityTrack track;

    ConsumersDay(CapacityDay day, Arrangement arrangement, long seed) {
      this.arrangement = arrangement;
      this.cluster = new ConsumerCluster(day, seed);
      this.track = new CapacityTrack(day);
    }

    CapacityResult run() {
      arrangement.begin(cluster);
      for (int second = 0; second < CapacityDay.SECONDS; second++) {
        arrangement.decide(cluster, second);
        cluster.pass(second);
        track.note(second, cluster.held(), cluster.waiting(0), waiting(), cluster.oldest(second));
      }
      return track.result(
          arrangement.name(), cluster.waits(), cluster.moves(), cluster.starts(), waiting());
    }

    private long waiting() {
      long waiting = 0;
      for (int type = 0; type < cluster.types().size(); type++) {
        waiting += cluster.waiting(type);
      }
      return waiting;
    }

    List<CapacitySample> samples() {
      return track.samples();
    }
  }

  /**
   * The same day with short-lived workers: for each kind the production policy with its defaults,
   * on slots shared by all kinds. When a node is lost, its slots are lost, and the events of its
   * workers return when the loss is detected. Used by one thread, once.
   */
  private static final class WorkersDay {
    private static final int BATCH = 50;
    private static final Duration TICK = Duration.ofSeconds(5);
    private static final Duration START = Duration.ofSeconds(2);

    private final String name;
    private final CapacityTrack track;
    private final List<PacingSimulation> kinds = new ArrayList<>();

    WorkersDay(CapacityDay day, WorkerBehaviour.Kind model, long seed) {
      this.name = "demand, " + (model == WorkerBehaviour.Kind.EXIT ? "exit" : "linger");
      this.track = new CapacityTrack(day);
      Duration run = Duration.ofMillis(Math.round(BATCH * day.secondsPerEvent() * 1e3));
      WorkerBehaviour workers =
          model == WorkerBehaviour.Kind.EXIT
              ? WorkerBehaviour.exit(BATCH, START, run)
              : WorkerBehaviour.linger(BATCH, START, run);
      ComparedPolicy demand =
          ComparedPolicies.uncapped(workers, TICK).named(ComparedPolicies.DEMAND);
      for (int type = 0; type < day.types().size(); type++) {
        Scenario scenario =
            Scenario.of(
                    day.types().get(type).name(),
                    day.curve(day.types().get(type)),
                    CapacityDay.SECONDS,
                    workers)
                .with(Spread.POISSON, seed * 31 + type)
                .with(new Cluster(day.nodes() * day.slots(), Double.POSITIVE_INFINITY, 1 << 20))
                .with(accidents(day));
        kinds.add(new PacingSimulation(scenario, demand, competitors(type), PacingWatch.NONE));
      }
    }

    private static Disturbance[] accidents(CapacityDay day) {
      double from = day.lossFrom();
      double share = 1.0 / day.nodes();
      return new Disturbance[] {
        new Disturbance(Kind.FEWER_SLOTS, from, from + day.lossSeconds(), 1 - share),
        new Disturbance(Kind.FAILING_WORKERS, from, from + day.noticed(), share)
      };
    }

    private CompetingWorkers competitors(int own) {
      return new CompetingWorkers() {
        @Override
        public int onSlots() {
          int sum = 0;
          for (int i = 0; i < kinds.size(); i++) {
            sum += i == own ? 0 : kinds.get(i).running();
          }
          return sum;
        }

        @Override
        public int ofQueue() {
          return 0;
        }
      };
    }

    CapacityResult run() {
      for (int second = 0; second < CapacityDay.SECONDS; second++) {
        int held = 0;
        long waiting = 0;
        double oldest = 0;
        for (PacingSimulation kind : kinds) {
          kind.advance(second, Curves.none());
          held += kind.running();
          waiting += kind.waiting();
          oldest = Math.max(oldest, kind.oldest(second));
        }
        track.note(second, held, kinds.get(0).waiting(), waiting, oldest);
      }
      Waits waits = new Waits();
      kinds.forEach(kind -> waits.add(kind.waits()));
      long runs = kinds.stream().mapToLong(kind -> kind.result().runs()).sum();
      long left = kinds.stream().mapToLong(PacingSimulation::waiting).sum();
      return track.result(name, waits, 0, runs, left);
    }

    List<CapacitySample> samples() {
      return track.samples();
    }
  }
}

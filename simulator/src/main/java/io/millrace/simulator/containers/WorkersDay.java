package io.millrace.simulator.containers;

import io.millrace.simulator.pacing.Cluster;
import io.millrace.simulator.pacing.ComparedPolicies;
import io.millrace.simulator.pacing.ComparedPolicy;
import io.millrace.simulator.pacing.CompetingWorkers;
import io.millrace.simulator.pacing.Curves;
import io.millrace.simulator.pacing.Disturbance;
import io.millrace.simulator.pacing.Disturbance.Kind;
import io.millrace.simulator.pacing.PacingSimulation;
import io.millrace.simulator.pacing.PacingWatch;
import io.millrace.simulator.pacing.Scenario;
import io.millrace.simulator.pacing.Spread;
import io.millrace.simulator.pacing.Waits;
import io.millrace.simulator.pacing.WorkerBehaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The same day with short-lived workers: for each kind the production policy with its defaults, on
 * the slots that all kinds share. With a node its slots go, and what its workers had at hand comes
 * back when the loss is noticed. Used by one thread, once.
 */
final class WorkersDay {
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
    ComparedPolicy demand = ComparedPolicies.uncapped(workers, TICK).named(ComparedPolicies.DEMAND);
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
      kinds.add(new PacingSimulation(scenario, demand, beside(type), PacingWatch.NONE));
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

  private CompetingWorkers beside(int own) {
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

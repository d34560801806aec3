package io.millrace.simulator.replay;

import io.millrace.manager.pacing.Gate;
import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingPolicy;
import io.millrace.manager.pacing.PacingSettings;
import io.millrace.manager.pacing.PacingSnapshot;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.simulator.pacing.ComparedPolicies.ComparedPolicy;
import io.millrace.simulator.pacing.PacingResult;
import io.millrace.simulator.pacing.PacingSimulation;
import io.millrace.simulator.pacing.PacingSimulation.CompetingWorkers;
import io.millrace.simulator.pacing.PacingSimulation.PacingWatch;
import io.millrace.simulator.pacing.RateCurve;
import io.millrace.simulator.pacing.Scenario;
import io.millrace.simulator.pacing.Scenario.Cluster;
import io.millrace.simulator.pacing.Scenario.Spread;
import io.millrace.simulator.pacing.WorkerBehaviour;
import io.millrace.simulator.replay.Recording.RecordedDecision;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A queue that records its decisions as the product does: those that say something. */
final class LiveQueue implements PacingWatch {
  static final Instant BEGIN = Instant.parse("2026-03-01T12:00:00Z");

  private final String node;
  private final PacingSettings settings;
  private final List<RecordedDecision> kept = new ArrayList<>();
  private double keptAt = -1e9;
  private Gate gate;

  /** What was recorded, and what happened. */
  record Lived(List<RecordedDecision> decisions, PacingResult result) {}

  private LiveQueue(String node, PacingSettings settings) {
    this.node = node;
    this.settings = settings;
  }

  static Lived live(String node, RateCurve arrivals, double seconds, WorkerBehaviour workers) {
    Scenario scenario =
        new Scenario(
            node,
            arrivals,
            Spread.POISSON,
            7,
            seconds,
            0,
            Duration.ofMillis(100),
            workers,
            Cluster.unlimited(),
            List.of());
    PacingSettings settings = PacingSettings.ofBatch(workers.batch());
    if (workers.kind() == WorkerBehaviour.Kind.LINGER) {
      settings = settings.withDemand(settings.demand().withLinger(workers.linger()));
    }
    LiveQueue queue = new LiveQueue(node, settings);
    ComparedPolicy contender = new ComparedPolicy(PacingPolicy.named("demand"), settings, "", 0);
    PacingResult result =
        new PacingSimulation(scenario, contender, CompetingWorkers.NONE, queue).run();
    return new Lived(queue.kept, result);
  }

  @Override
  public void decided(double second, PacingSnapshot seen, PacingDecision decision, int refilled) {
    int started = decision.workers() + refilled;
    if (started == 0 && decision.gate() == gate && second <= keptAt + 60) {
      return;
    }
    keptAt = second;
    gate = decision.gate();
    Instant at = BEGIN.plusMillis(Math.round(second * 1e3));
    kept.add(
        new RecordedDecision(at, node, started, "demand", gate.name(), figures(seen, refilled)));
  }

  private Map<String, Double> figures(PacingSnapshot seen, int refilled) {
    QueueFigures queue = seen.queue().orElseThrow();
    WorkerFigures workers = seen.workers().orElseThrow();
    Map<String, Double> figures = new HashMap<>();
    figures.put("refilled", (double) refilled);
    figures.put("waiting", (double) queue.waiting());
    figures.put("inserted", (double) queue.inserted());
    figures.put("acknowledged", (double) queue.acknowledged());
    figures.put("oldestSeconds", seconds(queue.oldestAge()));
    figures.put("starting", (double) workers.notStarted());
    figures.put("running", (double) workers.running());
    put(figures, "startLatencySeconds", workers.startLatency());
    put(figures, "runSeconds", workers.runTime().map(run -> run.plus(settings.demand().linger())));
    figures.put("batch", (double) settings.eventsPerWorker());
    figures.put("tickSeconds", seconds(settings.tick()));
    figures.put("waitTargetSeconds", seconds(settings.demand().waitTarget()));
    figures.put("maxWorkers", 100.0);
    figures.put("maxStarting", 100.0);
    figures.put("upperLimit", 250.0);
    figures.put("lowerLimit", 0.0);
    figures.put("backlog", 250.0);
    if (!settings.demand().linger().isZero()) {
      figures.put("lingerSeconds", seconds(settings.demand().linger()));
      figures.put("longestRunSeconds", 600.0);
    }
    return figures;
  }

  private static void put(Map<String, Double> figures, String name, Optional<Duration> time) {
    time.ifPresent(known -> figures.put(name, seconds(known)));
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}

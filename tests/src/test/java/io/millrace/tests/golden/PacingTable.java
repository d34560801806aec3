package io.millrace.tests.golden;

import io.millrace.api.queue.NodeState;
import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingPolicy;
import io.millrace.manager.pacing.PacingSettings;
import io.millrace.manager.pacing.PacingSettings.DemandSettings;
import io.millrace.manager.pacing.PacingSnapshot;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.PacingState;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A pacing policy at the ticks of small simulated queues: quiet and busy phases of an hour, with
 * workers that start, run and end. Generated from a fixed seed.
 */
final class PacingTable {
  private static final int TICKS = 40;
  private static final double[] RATES = {0, 0.2, 3, 40, 400, 0};

  private final String policy;

  PacingTable(String policy) {
    this.policy = policy;
  }

  String text() {
    PacingSettings usual = PacingSettings.ofBatch(20).withPolicy(policy);
    Map<String, PacingSettings> all = new LinkedHashMap<>();
    all.put("usual", usual);
    all.put("at most 5 workers", usual.withLimits(usual.limits().withMaxWorkers(5)));
    all.put("at most 2 starts", usual.withLimits(usual.limits().withMaxStartsPerTick(2)));
    all.put("at most 3 not started", usual.withLimits(usual.limits().withMaxNotStarted(3)));
    DemandSettings demand = usual.demand();
    all.put(
        "intake while running",
        usual.withDemand(demand.withPull(DemandSettings.EventPull.WHILE_RUNNING)));
    all.put("lingering", usual.withDemand(demand.withLinger(Duration.ofSeconds(4))));
    all.put("patient", usual.withDemand(demand.withWaitTarget(Duration.ofSeconds(60))));
    StringBuilder text = new StringBuilder();
    all.forEach(
        (title, settings) -> {
          text.append("### ").append(title).append('\n');
          play(settings, NodeState.NORMAL, text);
        });
    text.append("### on a busy node\n");
    play(usual, NodeState.BUSY, text);
    text.append("### on a node too busy\n");
    play(usual, NodeState.TOOBUSY, text);
    return text.toString();
  }

  private void play(PacingSettings settings, NodeState node, StringBuilder text) {
    PacingPolicy rule = PacingPolicy.named(policy);
    Random random = new Random(7);
    PacingState state = PacingState.initial();
    double tick = settings.tick().toMillis() / 1000.0;
    long waiting = 0;
    long inserted = 0;
    long acknowledged = 0;
    int notStarted = 0;
    int running = 0;
    for (int number = 0; number < TICKS; number++) {
      int arrived =
          (int) Math.round(RATES[number * RATES.length / TICKS] * tick * random.nextDouble() * 2);
      inserted += arrived;
      waiting += arrived;
      int finished = running;
      int started = Math.min(notStarted, 8);
      long taken = Math.min(waiting, (long) started * settings.eventsPerWorker());
      waiting -= taken;
      acknowledged += (long) finished * settings.eventsPerWorker() / 2;
      running = started;
      notStarted -= started;
      QueueFigures queue =
          new QueueFigures(
              waiting,
              taken,
              inserted,
              acknowledged,
              Duration.ofMillis(waiting == 0 ? 0 : 500 + random.nextInt(8000)),
              node);
      WorkerFigures workers =
          new WorkerFigures(
              notStarted,
              running,
              (long) notStarted * settings.eventsPerWorker(),
              0,
              started,
              finished,
              started == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(300)),
              finished == 0 ? Optional.empty() : Optional.of(Duration.ofMillis(2500)),
              notStarted + running);
      boolean unread = number == TICKS / 2;
      PacingSnapshot snapshot =
          unread
              ? new PacingSnapshot(settings.tick(), Optional.empty(), Optional.of(workers))
              : PacingSnapshot.of(settings.tick(), queue, workers);
      PacingDecision decision = rule.decide(snapshot, settings, state);
      state = decision.state();
      notStarted += decision.workers();
      text.append(
          "%2d: waiting %d, inserted %d, acknowledged %d; not started %d, running %d%n    %d of %d, %s: %s%n"
              .formatted(
                  number,
                  waiting,
                  inserted,
                  acknowledged,
                  workers.notStarted(),
                  running,
                  decision.workers(),
                  decision.wanted(),
                  decision.gate(),
                  decision.reason()));
    }
  }
}

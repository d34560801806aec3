package io.millrace.manager.pacing;

import io.millrace.api.queue.NodeState;
import io.millrace.manager.pacing.PacingSnapshot.QueueFigures;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;

/**
 * One segment, its workers and a policy on a clock of whole seconds. Workers take up to a batch at
 * once when they start; there are slots for all of them.
 */
final class ClosedLoop {
  private final PacingPolicy policy;
  private final PacingSettings settings;
  private final int startLatency;
  private final int runTime;
  private final Deque<Integer> starts = new ArrayDeque<>();
  private final Deque<Run> ends = new ArrayDeque<>();
  private final Deque<Integer> arrivalSeconds = new ArrayDeque<>();
  private PacingState state = PacingState.initial();
  private long acknowledged;

  /**
   * Totals of a run.
   *
   * @param runs workers submitted
   * @param waiting events that wait before workers take theirs, summed over the seconds
   * @param events events that arrived
   * @param leftOver events that still wait at the end
   */
  record Totals(long runs, long waiting, long events, long leftOver) {}

  private record Run(int second, int events) {}

  ClosedLoop(PacingSettings settings, int startLatency, int runTime) {
    this.policy = PacingPolicy.named(settings.policy());
    this.settings = settings;
    this.startLatency = Math.max(1, startLatency);
    this.runTime = runTime;
  }

  /** Three raised-sine periods in 12,000 s, as in the published simulation (H-190, H-194). */
  static DoubleUnaryOperator publishedSine(double maximum) {
    return second -> maximum / 2 * (1 - Math.cos(2 * Math.PI * second / 4000));
  }

  Totals run(int seconds, DoubleUnaryOperator arrivalsPerSecond) {
    long runs = 0;
    long waiting = 0;
    long inserted = 0;
    double arrived = 0;
    for (int second = 0; second < seconds; second++) {
      arrived += arrivalsPerSecond.applyAsDouble(second);
      while (inserted < (long) arrived) {
        arrivalSeconds.add(second);
        inserted++;
      }
      waiting += arrivalSeconds.size();
      int finished = finish(second);
      int started = start(second);
      // Read after the workers took theirs, as in the published tables; what is submitted now can
      // take events in the next second at the earliest.
      PacingDecision decision =
          policy.decide(read(second, inserted, started, finished), settings, state);
      state = decision.state();
      runs += decision.workers();
      for (int worker = 0; worker < decision.workers(); worker++) {
        starts.add(second + startLatency);
      }
    }
    return new Totals(runs, waiting, inserted, arrivalSeconds.size());
  }

  private int finish(int second) {
    int finished = 0;
    while (!ends.isEmpty() && ends.peek().second() <= second) {
      acknowledged += ends.remove().events();
      finished++;
    }
    return finished;
  }

  private int start(int second) {
    int started = 0;
    while (!starts.isEmpty() && starts.peek() <= second) {
      starts.remove();
      int taken = Math.min(settings.eventsPerWorker(), arrivalSeconds.size());
      for (int event = 0; event < taken; event++) {
        arrivalSeconds.remove();
      }
      ends.add(new Run(second + runTime, taken));
      started++;
    }
    return started;
  }

  private PacingSnapshot read(int second, long inserted, int started, int finished) {
    int age = arrivalSeconds.isEmpty() ? 0 : second - arrivalSeconds.peek();
    int outstanding = starts.size() + ends.size();
    return PacingSnapshot.of(
        Duration.ofSeconds(second == 0 ? 0 : 1),
        new QueueFigures(
            arrivalSeconds.size(),
            0,
            inserted,
            acknowledged,
            Duration.ofSeconds(age),
            NodeState.NORMAL),
        new WorkerFigures(
            starts.size(),
            ends.size(),
            (long) starts.size() * settings.eventsPerWorker(),
            0,
            started,
            finished,
            Optional.of(Duration.ofSeconds(startLatency)),
            Optional.of(Duration.ofSeconds(runTime)),
            outstanding));
  }
}

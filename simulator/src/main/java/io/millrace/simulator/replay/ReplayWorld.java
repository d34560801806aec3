package io.millrace.simulator.replay;

import io.millrace.simulator.pacing.Scenario;
import io.millrace.simulator.pacing.Scenario.Cluster;
import io.millrace.simulator.pacing.Scenario.Disturbance;
import io.millrace.simulator.pacing.Scenario.Disturbance.Kind;
import io.millrace.simulator.pacing.Scenario.Spread;
import io.millrace.simulator.pacing.WorkerBehaviour;
import io.millrace.simulator.replay.Recording.RecordedDecision;
import io.millrace.simulator.replay.Recording.RecordedSegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The arrivals and workers derived from a record. Immutable.
 *
 * @param recording the record
 * @param recorded the settings at its end
 * @param cluster what the workers run on
 */
record ReplayWorld(Recording recording, ReplaySettings recorded, Cluster cluster) {
  /** Failures below this share are not simulated. */
  private static final double RARE = 0.001;

  /** From getting a slot to the start, in seconds, as measured. */
  double startLatency() {
    return measured("startLatencySeconds");
  }

  /** Of a run, in seconds, as measured. */
  double runTime() {
    return measured("runSeconds");
  }

  private double measured(String name) {
    double sum = 0;
    long weights = 0;
    for (RecordedSegment segment : recording.segments()) {
      OptionalDouble its = segment.measured(name);
      long weight = 1 + segment.starts();
      sum += its.orElse(0) * (its.isPresent() ? weight : 0);
      weights += its.isPresent() ? weight : 0;
    }
    if (weights == 0) {
      throw new IllegalArgumentException(
          "the record contains no "
              + name
              + ": no worker had ended when it was made; use a longer or later period");
    }
    return sum / weights;
  }

  /** The workers, with the batch of these settings: a run is taken to last in proportion to it. */
  WorkerBehaviour workers(ReplaySettings settings) {
    Duration latency = duration(startLatency());
    double larger = (double) settings.batch() / recorded.batch();
    if (recorded.linger() == null) {
      return WorkerBehaviour.exit(settings.batch(), latency, duration(runTime() * larger));
    }
    double linger = Math.max(0.001, recorded.linger().toMillis() / 1e3);
    double longest = recording.last().figure("longestRunSeconds");
    return new WorkerBehaviour(
        WorkerBehaviour.Kind.LINGER,
        settings.batch(),
        latency,
        duration(Math.max(0.001, secondsPerEvent() * settings.batch())),
        duration(linger),
        longest > 0 ? duration(longest) : Duration.ofMinutes(10));
  }

  /** What a worker that takes event after event needs for each: its run without the last wait. */
  private double secondsPerEvent() {
    double done = 0;
    for (RecordedSegment segment : recording.segments()) {
      List<RecordedDecision> decisions = segment.decisions();
      done +=
          Math.max(
              0,
              decisions.get(decisions.size() - 1).figure("acknowledged")
                  - decisions.get(0).figure("acknowledged"));
    }
    double ofOneRun = Math.max(1, done / Math.max(1, recording.starts()));
    return Math.max(0, runTime() - recorded.linger().toMillis() / 1e3) / ofOneRun;
  }

  /**
   * What a segment goes through.
   *
   * @param absent whether the manager is away when the recorded one was
   */
  Scenario scenario(RecordedSegment segment, WorkerBehaviour workers, double step, boolean absent) {
    boolean takesAtStart = workers.kind() == WorkerBehaviour.Kind.EXIT;
    RecordedArrivals arrivals = segment.arrivals(takesAtStart ? workers.startLatency() : null);
    List<Disturbance> disturbances = new ArrayList<>(absent ? segment.absences() : List.of());
    double seconds = recording.seconds();
    double failing = segment.failing();
    if (failing > RARE) {
      disturbances.add(new Disturbance(Kind.FAILING_WORKERS, 0, seconds, failing));
    }
    return new Scenario(
        segment.node(),
        arrivals,
        Spread.EVEN,
        1,
        seconds,
        0,
        duration(step),
        workers,
        cluster,
        disturbances);
  }

  static Duration duration(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }
}

package io.millrace.simulator.replay;

import io.millrace.manager.pacing.Gate;
import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingPolicy;
import io.millrace.manager.pacing.PacingSettings;
import io.millrace.manager.pacing.PacingSnapshot;
import io.millrace.manager.pacing.PacingState;
import io.millrace.manager.pacing.Reason;
import io.millrace.simulator.pacing.ComparedPolicies.ComparedPolicy;
import io.millrace.simulator.pacing.PacingResult.PacingSample;
import io.millrace.simulator.pacing.PacingSimulation.PacingWatch;
import io.millrace.simulator.pacing.Scenario.Cluster;
import io.millrace.simulator.pacing.WorkerBehaviour;
import io.millrace.simulator.replay.Recording.Readings;
import io.millrace.simulator.replay.Recording.RecordedSegment;
import java.time.Duration;
import java.util.List;

/**
 * Replays a recorded queue on a virtual clock: with its recorded starts, with its recorded
 * settings, and with changed ones. All segments of the queue run in parallel, so that its caps
 * apply to all of them. Equal records give equal results. Used by one thread.
 */
public final class RecordingReplay {
  private static final double LONGEST_STEP = 1;
  private static final double SHORTEST_STEP = 0.01;
  private static final double MAX_STEPS = 20_000_000;
  private static final int STEPS_PER_TICK = 5;

  private final Recording recording;
  private final ReplaySettings recorded;
  private final ReplayWorld world;

  /**
   * A replay of a record.
   *
   * @param slots maximum number of running workers; null for no limit
   * @throws IllegalArgumentException if the record is not sufficient for a replay
   */
  public RecordingReplay(Recording recording, Integer slots) {
    this.recording = recording;
    this.recorded = ReplaySettings.of(recording.last());
    Cluster usual = Cluster.unlimited();
    Cluster cluster =
        slots == null ? usual : new Cluster(slots, usual.nodeCapacity(), usual.crowd());
    this.world = new ReplayWorld(recording, recorded, cluster);
  }

  /** A replay with its curves. */
  public record Run(ReplayRow row, List<PacingSample> samples) {}

  /** The basis of the replay and its limitations. */
  public ReplayBasis basis() {
    return ReplayBasis.of(recording, recorded, world);
  }

  /** Replays the recorded starts. */
  public Run recorded() {
    WorkerBehaviour workers = world.workers(recorded);
    double step = step(recorded.pacing().tick(), workers);
    PacingSettings settings = recorded.settings().withTick(ReplayWorld.duration(step));
    SegmentsRun run = new SegmentsRun();
    for (RecordedSegment segment : recording.segments()) {
      RecordedStarts starts = new RecordedStarts(segment, step);
      ComparedPolicy policy = new ComparedPolicy(starts, settings, "", 0);
      run.add(world.scenario(segment, workers, step, false), policy, PacingWatch.NONE);
    }
    run.run();
    ReplayRow row = run.row("recorded", recorded.pacing().policy(), recording.readings().seen());
    return new Run(recorded.linger() == null ? row : ReplayRow.told(row), run.samples());
  }

  /**
   * Replays the recorded settings; its distance from the record shows the accuracy of the replay.
   */
  public Run control() {
    return simulated("control", recorded);
  }

  /**
   * The recorded events under other settings.
   *
   * @param changes as {@code waitTarget=5s}
   * @throws IllegalArgumentException if there is no such setting or value
   */
  public Run changed(List<String> changes) {
    ReplaySettings settings = recorded;
    for (String change : changes) {
      settings = settings.with(change);
    }
    return simulated(String.join(" ", changes), settings);
  }

  private Run simulated(String name, ReplaySettings chosen) {
    WorkerBehaviour workers = world.workers(chosen);
    double step = step(chosen.pacing().tick(), workers);
    PacingSettings settings = chosen.settings();
    PacingPolicy policy = PacingPolicy.named(settings.policy());
    Readings readings = new Readings();
    SegmentsRun run = new SegmentsRun();
    for (RecordedSegment segment : recording.segments()) {
      run.add(
          world.scenario(segment, workers, step, true),
          new ComparedPolicy(policy, settings, "", 0),
          new KeptDecisions(readings));
    }
    run.run();
    return new Run(run.row(name, settings.policy(), readings.seen()), run.samples());
  }

  /** A divisor of the tick that is fine enough to distinguish the times of workers. */
  private double step(Duration tick, WorkerBehaviour workers) {
    double ticks = tick.toNanos() / 1e9;
    double step = Math.min(LONGEST_STEP, ticks / STEPS_PER_TICK);
    step = finer(step, workers.startLatency());
    step = finer(step, workers.runTime());
    step = Math.max(step, Math.max(SHORTEST_STEP, recording.seconds() / MAX_STEPS));
    return ticks / Math.max(1, Math.ceil(ticks / step - 1e-9));
  }

  private static double finer(double step, Duration time) {
    double half = time.toNanos() / 2e9;
    return half > 0 ? Math.min(step, half) : step;
  }

  /**
   * Reads off a simulation what the history of decisions would keep of it: those that start
   * something, those whose gate is another one, and one a minute. For one run, by one thread.
   */
  private static final class KeptDecisions implements PacingWatch {
    private static final double KEEP_EVERY = 60;

    private final Readings readings;
    private double keptAt = Double.NEGATIVE_INFINITY;
    private Gate keptGate = Gate.NONE;

    KeptDecisions(Readings readings) {
      this.readings = readings;
    }

    @Override
    public void decided(double second, PacingSnapshot seen, PacingDecision decision, int refilled) {
      boolean tells =
          decision.workers() + refilled > 0
              || decision.gate() != keptGate
              || second > keptAt + KEEP_EVERY;
      if (tells) {
        keptAt = second;
        keptGate = decision.gate();
        seen.queue().ifPresent(queue -> readings.add(queue));
      }
    }
  }

  /**
   * Submits what was recorded when it was recorded, whatever waits: the simulated result shows how
   * accurate the model is. For one run, by one thread.
   */
  private static final class RecordedStarts implements PacingPolicy {
    static final String NAME = "recorded";

    private static final Reason REASON = Reason.of("as recorded");

    private final double[] starts;
    private final double firstSecond;
    private double second;
    private int next;

    /**
     * The starts of a segment.
     *
     * @param firstSecond of the simulation's first tick
     */
    RecordedStarts(RecordedSegment segment, double firstSecond) {
      this.starts = segment.startSeconds();
      this.firstSecond = firstSecond;
    }

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public PacingDecision decide(
        PacingSnapshot snapshot, PacingSettings settings, PacingState state) {
      second = Math.max(firstSecond, second + snapshot.sinceLastTick().toNanos() / 1e9);
      int first = next;
      while (next < starts.length && starts[next] <= second + 1e-9) {
        next++;
      }
      int workers = next - first;
      return new PacingDecision(workers, workers, Gate.NONE, REASON, state);
    }
  }

  /**
   * One way in which the recorded events are served. Of the record itself all from {@code meanWait}
   * to {@code leftOver} is what the recorded starts give in the simulation; of lingering workers it
   * is null, because there the moments at which they leave decide, and those are not recorded.
   *
   * @param name {@code recorded}, {@code control} or the changed settings
   * @param policy the policy
   * @param events that came, those included that waited at the beginning
   * @param runs workers submitted; of the record those that were, of the others those simulated
   * @param floorRuns runs if every worker were full
   * @param meanWait seconds from an event's arrival until a worker takes it
   * @param p99Wait what 99 % of the events did not exceed
   * @param longestWait greatest age of an event that nobody had taken
   * @param mostWorkers greatest number of workers submitted and not finished
   * @param workerSeconds for how long workers ran, all together
   * @param leftOver events waiting at the end
   * @param seen what decisions saw that are kept by the same rule
   */
  public record ReplayRow(
      String name,
      String policy,
      long events,
      long runs,
      long floorRuns,
      Double meanWait,
      Double p99Wait,
      Double longestWait,
      Integer mostWorkers,
      Double workerSeconds,
      Long leftOver,
      Seen seen) {

    /**
     * Figures of kept decisions.
     *
     * @param decisions how many were kept
     * @param waiting events that waited, on average
     * @param oldest age of the oldest, on average, in seconds
     * @param longest age of the oldest, in seconds
     */
    public record Seen(long decisions, double waiting, double oldest, double longest) {}

    /** The result as far as the recording alone determines it. */
    static ReplayRow told(ReplayRow row) {
      return new ReplayRow(
          row.name,
          row.policy,
          row.events,
          row.runs,
          row.floorRuns,
          null,
          null,
          null,
          null,
          null,
          null,
          row.seen);
    }
  }
}

package io.millrace.simulator.pacing;

import io.millrace.manager.pacing.Gate;
import io.millrace.manager.pacing.PacingDecision;
import io.millrace.manager.pacing.PacingPolicy;
import io.millrace.manager.pacing.PacingSettings;
import io.millrace.manager.pacing.PacingSettings.DemandSettings;
import io.millrace.manager.pacing.PacingSettings.PacingLimits;
import io.millrace.manager.pacing.PacingSettings.ThresholdSettings;
import io.millrace.manager.pacing.PacingSnapshot;
import io.millrace.manager.pacing.PacingSnapshot.WorkerFigures;
import io.millrace.manager.pacing.PacingState;
import io.millrace.manager.pacing.Reason;
import io.millrace.manager.pacing.ThresholdPolicy.ThresholdState;
import io.millrace.simulator.pacing.Scenario.Steps;
import java.time.Duration;
import java.util.List;

/**
 * The policies that can be simulated for one worker model and tick, each with its knob: {@code
 * demand} with its patience in seconds, {@code threshold} with the upper limit, {@code
 * keda-accurate} with the events per job, {@code fixed} with the workers per second. {@code
 * forecast} is {@code demand} with a history of earlier days. Immutable.
 *
 * @param workers behaviour of workers
 * @param tick between two decisions
 * @param limits caps of the production policies
 */
public record ComparedPolicies(WorkerBehaviour workers, Duration tick, PacingLimits limits) {
  public static final String DEMAND = "demand";
  public static final String THRESHOLD = "threshold";
  public static final String KEDA_ACCURATE = KedaAccuratePolicy.NAME;
  public static final String FIXED = FixedPolicy.NAME;

  /** {@code demand} with the history of earlier days; not used by queue managers. */
  public static final String FORECAST = "forecast";

  private static final Duration NO_PROMISE = Duration.ofDays(1);

  /** In display order. */
  public static final List<String> NAMES = List.of(DEMAND, THRESHOLD, KEDA_ACCURATE, FIXED);

  /** Without caps, as in the published runs. */
  public static ComparedPolicies uncapped(WorkerBehaviour workers, Duration tick) {
    return new ComparedPolicies(workers, tick, new PacingLimits(1 << 28, 1 << 28, 1 << 28));
  }

  /** The policy with its default: for a fixed rate, one worker per second. */
  public ComparedPolicy named(String policy) {
    return switch (policy) {
      case DEMAND -> demand(Steps.seconds(DemandSettings.defaults().waitTarget()));
      case THRESHOLD -> threshold(ThresholdSettings.defaults().upperLimit());
      case KEDA_ACCURATE -> kedaAccurate(workers.batch());
      case FIXED -> fixed(1);
      case FORECAST -> named(DEMAND).forecasting();
      default -> throw unknown(policy);
    };
  }

  /** The policy with a value of its knob. */
  public ComparedPolicy named(String policy, double value) {
    return switch (policy) {
      case DEMAND -> withPatience(value);
      case THRESHOLD -> threshold(Math.round(value));
      case KEDA_ACCURATE -> kedaAccurate(value);
      case FIXED -> fixed(value);
      case FORECAST -> withPatience(value).forecasting();
      default -> throw unknown(policy);
    };
  }

  private static IllegalArgumentException unknown(String policy) {
    return new IllegalArgumentException(
        "no policy '"
            + policy
            + "' to simulate: use "
            + String.join(", ", NAMES)
            + " or "
            + FORECAST);
  }

  /** The policy with another wait target and the patience that goes with it. */
  public ComparedPolicy demand(double waitTarget) {
    DemandSettings demand = DemandSettings.defaults().withWaitTarget(Steps.duration(waitTarget));
    return demand(demand, "waitTarget", waitTarget);
  }

  private ComparedPolicy demand(DemandSettings chosen, String knob, double value) {
    DemandSettings demand =
        workers.kind() == WorkerBehaviour.Kind.LINGER
            ? chosen.withLinger(workers.linger())
            : chosen;
    return new ComparedPolicy(
        PacingPolicy.named(DEMAND), settings().withDemand(demand), knob, value);
  }

  /** A patience without a target for the oldest event. */
  private ComparedPolicy withPatience(double patience) {
    DemandSettings demand =
        DemandSettings.defaults().withWaitTarget(NO_PROMISE).withPatience(Steps.duration(patience));
    return demand(demand, "patience", patience);
  }

  private ComparedPolicy threshold(long upperLimit) {
    PacingSettings settings =
        settings()
            .withPolicy(THRESHOLD)
            .withThreshold(ThresholdSettings.defaults().withUpperLimit(upperLimit));
    return new ComparedPolicy(PacingPolicy.named(THRESHOLD), settings, "upperLimit", upperLimit);
  }

  private ComparedPolicy kedaAccurate(double target) {
    int maximum = limits.maxWorkers();
    return new ComparedPolicy(
        new KedaAccuratePolicy(target, maximum), settings(), "target", target);
  }

  private ComparedPolicy fixed(double workersPerSecond) {
    return new ComparedPolicy(
        new FixedPolicy(workersPerSecond), settings(), "workersPerSecond", workersPerSecond);
  }

  private PacingSettings settings() {
    return PacingSettings.ofBatch(workers.batch()).withTick(tick).withLimits(limits);
  }

  /**
   * A policy with one setting of its knob, as it takes part in a simulation.
   *
   * @param policy the rule
   * @param settings of the policy
   * @param knob name of the setting that is varied
   * @param value of that setting
   * @param forecast whether it is told how arrivals changed on earlier days
   */
  public record ComparedPolicy(
      PacingPolicy policy, PacingSettings settings, String knob, double value, boolean forecast) {
    /** A policy without a history. */
    public ComparedPolicy(PacingPolicy policy, PacingSettings settings, String knob, double value) {
      this(policy, settings, knob, value, false);
    }

    public String name() {
      return forecast ? FORECAST : policy.name();
    }

    private ComparedPolicy forecasting() {
      return new ComparedPolicy(policy, settings, knob, value, true);
    }
  }

  /**
   * A static configuration: a constant number of workers per second, independent of arrivals
   * (H-002). For comparisons in the simulator only. Fractions of a worker are carried over as in
   * the published rule.
   */
  private static final class FixedPolicy implements PacingPolicy {
    static final String NAME = "fixed";

    private final double workersPerSecond;

    FixedPolicy(double workersPerSecond) {
      if (!(workersPerSecond > 0)) {
        throw new IllegalArgumentException(
            "a fixed rate must be above zero, not " + workersPerSecond);
      }
      this.workersPerSecond = workersPerSecond;
    }

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public PacingDecision decide(
        PacingSnapshot snapshot, PacingSettings settings, PacingState state) {
      double seconds = Steps.seconds(snapshot.sinceLastTick());
      double owed = state.threshold().owed() + seconds * workersPerSecond;
      int workers = (int) Math.floor(owed + 1e-9);
      ThresholdState before = state.threshold();
      ThresholdState after =
          new ThresholdState(
              before.rate(),
              Math.max(0, owed - workers),
              before.readings(),
              before.sinceReading(),
              before.sinceEvaluation());
      return new PacingDecision(
          workers,
          workers,
          Gate.NONE,
          Reason.of(() -> workersPerSecond + " workers/s as configured"),
          new PacingState(state.arrivals(), state.completions(), after));
    }
  }

  /**
   * The {@code accurate} strategy of KEDA's ScaledJob, for comparisons in the simulator only: as
   * many jobs as waiting events divided by the target, less pending jobs, and at most the maximum
   * including running jobs.
   */
  private static final class KedaAccuratePolicy implements PacingPolicy {
    static final String NAME = "keda-accurate";

    private final double target;
    private final int maximum;

    /**
     * The formula with its settings.
     *
     * @param target waiting events per job
     * @param maximum number of running jobs
     */
    KedaAccuratePolicy(double target, int maximum) {
      if (!(target > 0) || maximum < 1) {
        throw new IllegalArgumentException("target and maximum must be above zero");
      }
      this.target = target;
      this.maximum = maximum;
    }

    @Override
    public String name() {
      return NAME;
    }

    @Override
    public PacingDecision decide(
        PacingSnapshot snapshot, PacingSettings settings, PacingState state) {
      WorkerFigures workers = snapshot.workers().orElseThrow();
      long waiting = snapshot.queue().orElseThrow().waiting();
      int pending = workers.notStarted();
      int running = workers.outstanding();
      int scale = (int) Math.min(Math.ceil(waiting / target), maximum);
      int jobs = scale + running - pending > maximum ? maximum - running : scale - pending;
      int submitted = Math.max(0, jobs);
      return new PacingDecision(
          submitted,
          submitted,
          Gate.NONE,
          Reason.of(() -> waiting + " waiting by " + target + ", " + pending + " pending"),
          state);
    }
  }
}

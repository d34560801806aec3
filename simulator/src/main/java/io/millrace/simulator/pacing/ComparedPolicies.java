package io.millrace.simulator.pacing;

import io.millrace.manager.pacing.DemandSettings;
import io.millrace.manager.pacing.PacingLimits;
import io.millrace.manager.pacing.PacingPolicy;
import io.millrace.manager.pacing.PacingSettings;
import io.millrace.manager.pacing.ThresholdSettings;
import java.time.Duration;
import java.util.List;

/**
 * The policies that can be simulated for one worker model and tick, each with its knob: {@code
 * demand} with its patience in seconds, {@code threshold} with the upper limit, {@code
 * keda-accurate} with the events per job, {@code fixed} with the workers per second. Immutable.
 *
 * @param workers how workers behave
 * @param tick between two decisions
 * @param limits caps that hold for the production policies
 */
public record ComparedPolicies(WorkerBehaviour workers, Duration tick, PacingLimits limits) {
  public static final String DEMAND = "demand";
  public static final String THRESHOLD = "threshold";
  public static final String KEDA_ACCURATE = KedaAccuratePolicy.NAME;
  public static final String FIXED = FixedPolicy.NAME;

  private static final Duration NO_PROMISE = Duration.ofDays(1);

  /** In the order in which they are shown. */
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
      default -> throw unknown(policy);
    };
  }

  /** The policy with a value of its knob. */
  public ComparedPolicy named(String policy, double value) {
    return switch (policy) {
      case DEMAND -> patient(value);
      case THRESHOLD -> threshold(Math.round(value));
      case KEDA_ACCURATE -> kedaAccurate(value);
      case FIXED -> fixed(value);
      default -> throw unknown(policy);
    };
  }

  private static IllegalArgumentException unknown(String policy) {
    return new IllegalArgumentException(
        "no policy '" + policy + "' to simulate: use " + String.join(", ", NAMES));
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

  /** Any patience, and no promise for the oldest event beside it. */
  private ComparedPolicy patient(double patience) {
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
}

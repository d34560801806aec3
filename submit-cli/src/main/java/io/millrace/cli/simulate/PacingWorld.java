package io.millrace.cli.simulate;

import io.millrace.manager.pacing.PacingLimits;
import io.millrace.simulator.pacing.BuiltinScenario;
import io.millrace.simulator.pacing.ComparedPolicies;
import io.millrace.simulator.pacing.ComparedPolicies.ComparedPolicy;
import io.millrace.simulator.pacing.RateCurve;
import io.millrace.simulator.pacing.Scenario;
import io.millrace.simulator.pacing.Scenario.Cluster;
import io.millrace.simulator.pacing.Scenario.Spread;
import io.millrace.simulator.pacing.Trace;
import io.millrace.simulator.pacing.WorkerBehaviour;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The scenarios and contenders of a plan; IllegalArgumentException for one that makes no sense. */
final class PacingWorld {
  private static final int UNLIMITED = 1 << 28;

  /** So that a policy that lets events lie at the end does not seem to need fewer runs. */
  private static final double DRAIN_SECONDS = 86_400;

  private final PacingPlan plan;

  PacingWorld(PacingPlan plan) {
    this.plan = plan;
  }

  List<Scenario> scenarios() throws IOException {
    List<Scenario> found = new ArrayList<>();
    for (Path file : plan.input().traces()) {
      Trace trace = read(file);
      String name = file.getFileName().toString().replaceFirst("\\.[^.]*$", "");
      Scenario one = Scenario.of(name, trace, trace.seconds(), workers()).draining(DRAIN_SECONDS);
      found.addAll(scaled(one, trace.countsOfIntervals() ? Spread.POISSON : Spread.EVEN));
    }
    for (String word : plan.input().scenarios()) {
      Scenario one = BuiltinScenario.named(word).scenario(workers());
      found.addAll(scaled(one, Spread.EVEN));
    }
    if (plan.input().rate() != null) {
      double rate = plan.input().rate();
      check(rate > 0 && rate <= 1e6, "--rate is above 0 and at most 1000000 events per second");
      double seconds = plan.input().length().toMillis() / 1e3;
      check(seconds >= 1 && seconds <= 1e9, "--length is at least 1s");
      String name = rate + "/s";
      Scenario one = Scenario.of(name, RateCurve.constant(rate), seconds, workers());
      found.addAll(scaled(one, Spread.EVEN));
    }
    return found;
  }

  private static Trace read(Path file) throws IOException {
    try {
      return Trace.read(file);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(
          "there is no file " + file + ": give --trace a file of timestamp,value lines");
    }
  }

  private List<Scenario> scaled(Scenario one, Spread natural) {
    List<Double> scales = plan.input().scales().isEmpty() ? List.of(1.0) : plan.input().scales();
    return scales.stream().map(scale -> scaled(one, scale, natural)).toList();
  }

  private Scenario scaled(Scenario one, double scale, Spread natural) {
    check(scale > 0 && scale <= 1e6, "--scale is above 0 and at most 1000000");
    String name =
        scale == 1 ? one.name() : one.name() + String.format(Locale.ROOT, " ×%.4g", scale);
    Cluster cluster =
        plan.workers().slots() == null
            ? one.cluster()
            : new Cluster(
                plan.workers().slots(), one.cluster().nodeCapacity(), one.cluster().crowd());
    return new Scenario(
        name,
        one.curve().times(scale),
        spread(natural),
        plan.clockwork().seed(),
        one.seconds(),
        one.drain(),
        plan.clockwork().step(),
        one.workers(),
        cluster,
        one.disturbances());
  }

  private Spread spread(Spread natural) {
    String asked = plan.clockwork().arrivals();
    if (asked == null) {
      return natural;
    }
    return switch (asked) {
      case "even" -> Spread.EVEN;
      case "poisson" -> Spread.POISSON;
      default ->
          throw new IllegalArgumentException("--arrivals is even or poisson, not '" + asked + "'");
    };
  }

  private WorkerBehaviour workers() {
    PacingPlan.Workers asked = plan.workers();
    return switch (asked.model()) {
      case "exit" -> WorkerBehaviour.exit(asked.batch(), asked.latency(), asked.run());
      case "linger" ->
          new WorkerBehaviour(
              WorkerBehaviour.Kind.LINGER,
              asked.batch(),
              asked.latency(),
              asked.run(),
              asked.linger(),
              Duration.ofMinutes(10));
      default ->
          throw new IllegalArgumentException(
              "--model is exit or linger, not '" + asked.model() + "'");
    };
  }

  ComparedPolicies contenders() {
    Integer most = plan.workers().maxWorkers();
    PacingLimits limits = new PacingLimits(most == null ? UNLIMITED : most, UNLIMITED, UNLIMITED);
    Duration tick = plan.clockwork().tick();
    Duration step = plan.clockwork().step();
    check(
        !step.isZero() && !step.isNegative() && tick.compareTo(step) >= 0,
        "--tick is not shorter than --step, which is above zero");
    return new ComparedPolicies(workers(), tick, limits);
  }

  List<ComparedPolicy> chosen() {
    ComparedPolicies contenders = contenders();
    List<String> words =
        plan.policies().isEmpty()
            ? List.of(
                ComparedPolicies.DEMAND, ComparedPolicies.THRESHOLD, ComparedPolicies.KEDA_ACCURATE)
            : plan.policies();
    return words.stream().map(word -> contender(contenders, word)).toList();
  }

  private static ComparedPolicy contender(ComparedPolicies contenders, String word) {
    int equals = word.indexOf('=');
    if (equals < 0) {
      return contenders.named(word);
    }
    try {
      double value = Double.parseDouble(word.substring(equals + 1));
      return contenders.named(word.substring(0, equals), value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "--policy " + word + ": write its knob as a number, for example demand=5", e);
    }
  }

  private static void check(boolean kept, String rule) {
    if (!kept) {
      throw new IllegalArgumentException(rule);
    }
  }
}

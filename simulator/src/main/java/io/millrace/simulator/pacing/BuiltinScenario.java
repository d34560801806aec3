package io.millrace.simulator.pacing;

import io.millrace.simulator.pacing.Scenario.Cluster;
import io.millrace.simulator.pacing.Scenario.Disturbance;
import io.millrace.simulator.pacing.Scenario.Disturbance.Kind;
import java.util.ArrayList;
import java.util.List;

/** Situations that the publication describes or that operators fear, ready to run. */
public enum BuiltinScenario {
  SINE("three raised sines of at most 50/s, as in table 4.2"),
  CRASH("the queue manager is gone from 60 min to 65 min at 20/s (B.61, B.62)"),
  BACKLOG("nothing is served for 20 min at 20/s, then all at once"),
  BURST("5/s, ten times as much for 10 min"),
  OVERLOAD("for 10 min the queue node finishes a fifth of what it could (B.58 to B.60)"),
  BATCH_SYSTEM("for 20 min the batch system needs thirty times as long to start workers (H-215)"),
  FAILING("for 20 min half of the workers fail and their events come back");

  private static final double HOUR = 3600;
  private static final double MINUTE = 60;

  private final String words;

  BuiltinScenario(String words) {
    this.words = words;
  }

  public String words() {
    return words;
  }

  /** How it is written on the command line. */
  public String word() {
    return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
  }

  public static BuiltinScenario named(String word) {
    List<String> words = new ArrayList<>();
    for (BuiltinScenario one : values()) {
      if (one.word().equals(word)) {
        return one;
      }
      words.add(one.word());
    }
    throw new IllegalArgumentException(
        "no scenario '" + word + "': use " + String.join(", ", words));
  }

  /** The scenario with these workers. */
  public Scenario scenario(WorkerBehaviour workers) {
    return switch (this) {
      case SINE -> steady(RateCurve.raisedSine(50, 4000, 12_000), 12_000, workers);
      case CRASH ->
          steady(RateCurve.constant(20), 2 * HOUR, workers)
              .with(new Disturbance(Kind.NO_MANAGER, HOUR, HOUR + 5 * MINUTE, 1));
      case BACKLOG ->
          steady(RateCurve.constant(20), 2 * HOUR, workers)
              .with(new Disturbance(Kind.NO_SERVICE, 30 * MINUTE, 50 * MINUTE, 1));
      case BURST ->
          steady(
              second -> 5 * second + 45 * Math.min(10 * MINUTE, Math.max(0, second - HOUR)),
              2 * HOUR,
              workers);
      case OVERLOAD ->
          steady(RateCurve.constant(20), 2 * HOUR, workers)
              .with(new Cluster(200, 50, 20))
              .with(new Disturbance(Kind.SLOW_NODE, 30 * MINUTE, 40 * MINUTE, 0.2));
      case BATCH_SYSTEM ->
          steady(RateCurve.constant(20), 2 * HOUR, workers)
              .with(new Disturbance(Kind.SLOW_STARTS, 30 * MINUTE, 50 * MINUTE, 30));
      case FAILING ->
          steady(RateCurve.constant(20), 2 * HOUR, workers)
              .with(new Disturbance(Kind.FAILING_WORKERS, 30 * MINUTE, 50 * MINUTE, 0.5));
    };
  }

  private Scenario steady(RateCurve curve, double seconds, WorkerBehaviour workers) {
    return Scenario.of(word(), curve, seconds, workers);
  }
}

package io.millrace.simulator.pacing;

import io.millrace.simulator.pacing.ComparedPolicies.ComparedPolicy;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * One of the published tables 4.2 to 4.4: a raised sine over 12,000 s under the published rule with
 * seven upper limits (H-190 to H-194).
 *
 * @param name as published
 * @param most events per second at the peaks
 * @param batch events per worker
 * @param rows as published
 */
public record PublishedTable(String name, double most, int batch, List<Row> rows) {
  private static final int SECONDS = 12_000;
  private static final double PERIOD = 4_000;

  /** Decisions, starts and leases each second; run times equal the resolution. */
  private static final Duration SECOND = Duration.ofSeconds(1);

  public static final List<PublishedTable> ALL =
      List.of(
          new PublishedTable(
              "4.2",
              50,
              50,
              List.of(
                  new Row(50, 16319, 230269),
                  new Row(250, 10766, 618564),
                  new Row(500, 9461, 1093347),
                  new Row(1000, 10175, 1449517),
                  new Row(2000, 9982, 3047514),
                  new Row(5000, 9614, 9448519),
                  new Row(15000, 8375, 42139598))),
          new PublishedTable(
              "4.3",
              1000,
              50,
              List.of(
                  new Row(50, 211115, 7144436),
                  new Row(250, 175680, 7452414),
                  new Row(500, 167900, 9909419),
                  new Row(1000, 158138, 10599948),
                  new Row(2000, 157162, 12052485),
                  new Row(5000, 155812, 16591509),
                  new Row(15000, 147241, 32221041))),
          new PublishedTable(
              "4.4",
              3000,
              400,
              List.of(
                  new Row(50, 97404, 18489993),
                  new Row(250, 93843, 18711647),
                  new Row(500, 81263, 19049233),
                  new Row(1000, 74626, 20209587),
                  new Row(2000, 70592, 23171925),
                  new Row(5000, 62926, 30052367),
                  new Row(15000, 60734, 43745289))));

  /**
   * Published figures for one setting.
   *
   * @param upperLimit of the rule
   * @param runs workers started
   * @param waiting sum over the seconds of the waiting events
   */
  public record Row(long upperLimit, long runs, long waiting) {}

  /**
   * A published row next to the simulated figures.
   *
   * @param table its name
   * @param upperLimit of the published rule
   * @param floorRuns runs if every worker were full
   */
  public record Comparison(
      String table,
      long upperLimit,
      long publishedRuns,
      long publishedWaiting,
      long thresholdRuns,
      long thresholdWaiting,
      long demandRuns,
      long demandWaiting,
      long floorRuns) {}

  public static PublishedTable named(String name) {
    return ALL.stream()
        .filter(table -> table.name().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("no table " + name + ": use 4.2, 4.3, 4.4 or all"));
  }

  public Scenario scenario() {
    WorkerBehaviour workers = WorkerBehaviour.exit(batch, SECOND, Duration.ZERO);
    RateCurve sine = RateCurve.raisedSine(most, PERIOD, SECONDS);
    return Scenario.of("table " + name, sine, SECONDS, workers);
  }

  /** Runs the published rule with each limit, and {@code demand} once with its default. */
  public List<Comparison> compare() {
    return compare(policy -> Curves.none());
  }

  /**
   * Runs the published rule with each limit, and {@code demand} once with its default.
   *
   * @param curves the collector of each policy's run, asked for just before that run
   */
  public List<Comparison> compare(Function<ComparedPolicy, Curves> curves) {
    Scenario scenario = scenario();
    ComparedPolicies policies = ComparedPolicies.uncapped(scenario.workers(), SECOND);
    PacingResult demand = run(scenario, policies.named(ComparedPolicies.DEMAND), curves);
    return rows.stream()
        .map(
            row -> {
              double limit = row.upperLimit();
              ComparedPolicy rule = policies.named(ComparedPolicies.THRESHOLD, limit);
              return compare(row, run(scenario, rule, curves), demand);
            })
        .toList();
  }

  private static PacingResult run(
      Scenario scenario, ComparedPolicy policy, Function<ComparedPolicy, Curves> curves) {
    return new PacingSimulation(scenario, policy).run(curves.apply(policy));
  }

  private Comparison compare(Row row, PacingResult threshold, PacingResult demand) {
    return new Comparison(
        name,
        row.upperLimit(),
        row.runs(),
        row.waiting(),
        threshold.runs(),
        threshold.waiting(),
        demand.runs(),
        demand.waiting(),
        demand.floorRuns());
  }
}

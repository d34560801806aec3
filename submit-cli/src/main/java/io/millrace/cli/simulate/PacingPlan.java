package io.millrace.cli.simulate;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The options of a simulation.
 *
 * @param input what arrives
 * @param workers what handles it
 * @param clockwork times and chance
 * @param policies by name, possibly with =value; none for all but fixed
 * @param sweep whether fronts are compared
 * @param settings values of each parameter in a sweep
 * @param output files to write
 */
record PacingPlan(
    Input input,
    Workers workers,
    Clockwork clockwork,
    List<String> policies,
    boolean sweep,
    int settings,
    Output output) {

  /** One of its first four is given; the others are null or empty. */
  record Input(
      String table,
      List<Path> traces,
      List<String> scenarios,
      Double rate,
      Duration length,
      List<Double> scales) {
    int given() {
      return (table == null ? 0 : 1)
          + (traces.isEmpty() ? 0 : 1)
          + (scenarios.isEmpty() ? 0 : 1)
          + (rate == null ? 0 : 1);
    }
  }

  /** Slots and maximum are null when there is no limit. */
  record Workers(
      int batch,
      Duration latency,
      Duration run,
      String model,
      Duration linger,
      Integer slots,
      Integer maxWorkers) {}

  /** Arrivals are even or poisson, or null for what suits the input. */
  record Clockwork(Duration tick, Duration step, String arrivals, long seed) {}

  /**
   * A live queue whose record is served again.
   *
   * @param history a file, {@code -} for standard input; null to ask the server
   * @param queue whose record the server is asked for; null to read a file
   * @param since length of the period fetched from the server
   * @param changes settings and their other values
   * @param slots workers that may run at once; null for no limit
   */
  record Replayed(
      String history, String queue, Duration since, List<String> changes, Integer slots) {
    boolean given() {
      return history != null || queue != null;
    }
  }

  /** Null if not specified. */
  record Output(Path csv, Path svg, Path html) {}
}

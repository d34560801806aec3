package io.millrace.simulator.pacing;

import java.util.List;

/**
 * The four published curves of one or more runs: arrivals, worker rate, waiting events, delay
 * (H-213). An SVG document of its own. Pure.
 */
public final class PacingChart {
  private static final List<CurvesChart.Panel<PacingSample>> PANELS =
      List.of(
          new CurvesChart.Panel<>("events arriving per second", PacingSample::arrivals),
          new CurvesChart.Panel<>("workers submitted per second", PacingSample::workers),
          new CurvesChart.Panel<>("waiting events", PacingSample::waiting),
          new CurvesChart.Panel<>(
              "delay: age of the oldest waiting event, s", PacingSample::delay));

  private PacingChart() {}

  /** The chart of these runs of one scenario. */
  public static String of(String title, List<CurvesChart.Line<PacingSample>> lines) {
    return CurvesChart.of(title, PacingSample::second, PANELS, lines);
  }
}

package io.millrace.cli.chart;

import io.millrace.cli.chart.SvgDocument.Point;
import io.millrace.simulator.pacing.KnobSweep.Front;
import io.millrace.simulator.pacing.KnobSweep.SweepOutcome;
import io.millrace.simulator.pacing.PacingResult;
import java.util.List;
import java.util.Locale;

/** The fronts of one sweep, runs against mean wait, both axes logarithmic. */
public final class FrontChart {
  private static final int WIDTH = 640;
  private static final int HEIGHT = 420;
  private static final int LEFT = 70;
  private static final int TOP = 50;
  private static final double SHORTEST_WAIT = 0.01;

  private final SvgDocument svg = new SvgDocument(WIDTH + LEFT + 30, HEIGHT + TOP + 50);
  private final SweepOutcome outcome;
  private final double fewestRuns;
  private final double mostRuns;
  private final double shortestWait;
  private final double longestWait;

  private FrontChart(SweepOutcome outcome) {
    this.outcome = outcome;
    List<PacingResult> all =
        outcome.fronts().stream().flatMap(front -> front.points().stream()).toList();
    this.fewestRuns = Math.max(1, all.stream().mapToLong(PacingResult::runs).min().orElse(1));
    this.mostRuns = all.stream().mapToLong(PacingResult::runs).max().orElse(1);
    this.shortestWait =
        Math.max(SHORTEST_WAIT, all.stream().mapToDouble(PacingResult::meanWait).min().orElse(1));
    this.longestWait =
        Math.max(SHORTEST_WAIT, all.stream().mapToDouble(PacingResult::meanWait).max().orElse(1));
  }

  /** The chart of a sweep as an SVG document. */
  public static String of(SweepOutcome outcome) {
    return new FrontChart(outcome).draw();
  }

  private String draw() {
    svg.title(
        LEFT,
        "%s: %s"
            .formatted(
                outcome.scenario(), outcome.dominated() ? "demand dominates" : "no dominance"));
    svg.frame(LEFT, TOP, WIDTH, HEIGHT);
    svg.text(
        LEFT,
        TOP + HEIGHT + 18,
        String.format(Locale.ROOT, "runs: %.0f to %.0f (logarithmic)", fewestRuns, mostRuns));
    svg.text(
        LEFT,
        TOP + HEIGHT + 36,
        String.format(
            Locale.ROOT, "mean wait: %.3g s to %.3g s (logarithmic)", shortestWait, longestWait));
    for (int i = 0; i < outcome.fronts().size(); i++) {
      Front front = outcome.fronts().get(i);
      String colour = SvgDocument.colour(i);
      List<Point> points = front.points().stream().map(this::point).toList();
      svg.text(LEFT + 160 * i, 40, front.policy(), colour);
      svg.polyline(points, colour);
      points.forEach(point -> svg.dot(point, colour));
    }
    return svg.svg();
  }

  private Point point(PacingResult result) {
    double wait = Math.max(SHORTEST_WAIT, result.meanWait());
    return new Point(
        LEFT + WIDTH * share((double) result.runs(), fewestRuns, mostRuns),
        TOP + HEIGHT * (1 - share(wait, shortestWait, longestWait)));
  }

  private static double share(double value, double from, double to) {
    return to > from ? Math.log(value / from) / Math.log(to / from) : 0.5;
  }
}

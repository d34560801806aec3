package io.millrace.simulator.pacing;

import java.util.List;
import java.util.Locale;

/**
 * The fronts of one sweep, runs against mean wait, both axes logarithmic. An SVG document of its
 * own. Pure.
 */
public final class FrontChart {
  private static final int WIDTH = 640;
  private static final int HEIGHT = 420;
  private static final int LEFT = 70;
  private static final int TOP = 50;
  private static final double SHORTEST = 0.01;
  private static final List<String> COLOURS = List.of("#1565c0", "#c62828", "#2e7d32");

  private final StringBuilder svg = new StringBuilder();
  private final List<PacingResult> all;

  private FrontChart(List<Front> fronts) {
    this.all = fronts.stream().flatMap(front -> front.points().stream()).toList();
  }

  public static String of(KnobSweep.SweepOutcome outcome) {
    return new FrontChart(outcome.fronts()).draw(outcome);
  }

  private String draw(KnobSweep.SweepOutcome outcome) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
            + " font-size=\"12\">%n",
        WIDTH + LEFT + 30, HEIGHT + TOP + 50);
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n");
    add(
        "<text x=\"%d\" y=\"20\" font-size=\"15\">%s: %s</text>%n",
        LEFT, outcome.scenario(), outcome.dominated() ? "demand dominates" : "no dominance");
    add(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>%n",
        LEFT, TOP, WIDTH, HEIGHT);
    axes();
    for (int i = 0; i < outcome.fronts().size(); i++) {
      Front front = outcome.fronts().get(i);
      String colour = COLOURS.get(i % COLOURS.size());
      add(
          "<text x=\"%d\" y=\"40\" fill=\"%s\">%s</text>%n",
          LEFT + 160 * i, colour, front.policy());
      add("<polyline fill=\"none\" stroke=\"%s\" points=\"", colour);
      front.points().forEach(point -> add("%.1f,%.1f ", x(point), y(point)));
      add("\"/>%n");
      front
          .points()
          .forEach(
              point ->
                  add(
                      "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>%n",
                      x(point), y(point), colour));
    }
    return svg.append("</svg>\n").toString();
  }

  private void axes() {
    add(
        "<text x=\"%d\" y=\"%d\">runs: %d to %d (logarithmic)</text>%n",
        LEFT, TOP + HEIGHT + 18, fewestRuns(), mostRuns());
    add(
        "<text x=\"%d\" y=\"%d\">mean wait: %.3g s to %.3g s (logarithmic)</text>%n",
        LEFT, TOP + HEIGHT + 36, least(), greatest());
  }

  private double x(PacingResult point) {
    return LEFT + WIDTH * share((double) point.runs(), (double) fewestRuns(), (double) mostRuns());
  }

  private double y(PacingResult point) {
    return TOP + HEIGHT * (1 - share(Math.max(SHORTEST, point.meanWait()), least(), greatest()));
  }

  private static double share(double value, double from, double to) {
    return to > from ? Math.log(value / from) / Math.log(to / from) : 0.5;
  }

  private long fewestRuns() {
    return Math.max(1, all.stream().mapToLong(PacingResult::runs).min().orElse(1));
  }

  private long mostRuns() {
    return all.stream().mapToLong(PacingResult::runs).max().orElse(1);
  }

  private double least() {
    return Math.max(SHORTEST, all.stream().mapToDouble(PacingResult::meanWait).min().orElse(1));
  }

  private double greatest() {
    return Math.max(SHORTEST, all.stream().mapToDouble(PacingResult::meanWait).max().orElse(1));
  }

  private void add(String pattern, Object... values) {
    svg.append(String.format(Locale.ROOT, pattern, values));
  }
}

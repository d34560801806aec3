package io.millrace.simulator.pacing;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The four published curves of one or more runs: arrivals, worker rate, waiting events, delay
 * (H-213). An SVG document of its own. Pure.
 */
public final class PacingChart {
  private static final int WIDTH = 900;
  private static final int LEFT = 80;
  private static final int HEIGHT = 150;
  private static final int GAP = 46;
  private static final int TOP = 64;
  private static final List<String> COLOURS = List.of("#1565c0", "#c62828", "#2e7d32", "#6a1b9a");

  private final StringBuilder svg = new StringBuilder();
  private final List<Line> lines;
  private final double seconds;

  /**
   * One run.
   *
   * @param name for the legend
   * @param samples at least one
   */
  public record Line(String name, List<PacingSample> samples) {}

  private PacingChart(List<Line> lines) {
    this.lines = lines;
    List<PacingSample> first = lines.get(0).samples();
    this.seconds = first.get(first.size() - 1).second();
  }

  /** The chart of these runs of one scenario. */
  public static String of(String title, List<Line> lines) {
    return new PacingChart(lines).draw(title);
  }

  private String draw(String title) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
            + " font-size=\"12\">%n",
        WIDTH + LEFT + 20, TOP + 4 * (HEIGHT + GAP));
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n");
    add("<text x=\"%d\" y=\"20\" font-size=\"15\">%s</text>%n", LEFT, escaped(title));
    for (int line = 0; line < lines.size(); line++) {
      add(
          "<text x=\"%d\" y=\"40\" fill=\"%s\">%s</text>%n",
          LEFT + 220 * line, colour(line), escaped(lines.get(line).name()));
    }
    panel(0, "events arriving per second", PacingSample::arrivals);
    panel(1, "workers submitted per second", PacingSample::workers);
    panel(2, "waiting events", PacingSample::waiting);
    panel(3, "delay: age of the oldest waiting event, s", PacingSample::delay);
    return svg.append("</svg>\n").toString();
  }

  private void panel(int row, String name, ToDoubleFunction<PacingSample> value) {
    int top = TOP + row * (HEIGHT + GAP);
    double most =
        lines.stream().flatMap(line -> line.samples().stream()).mapToDouble(value).max().orElse(1);
    add(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>%n",
        LEFT, top, WIDTH, HEIGHT);
    add("<text x=\"%d\" y=\"%d\">%s</text>%n", LEFT, top - 5, name);
    add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.4g</text>%n", LEFT - 6, top + 10, most);
    add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>%n", LEFT - 6, top + HEIGHT);
    for (int part = 0; part <= 4; part++) {
      add(
          "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#666\">%.0f s</text>%n",
          LEFT + WIDTH * part / 4, top + HEIGHT + 14, seconds * part / 4);
    }
    for (int line = 0; line < lines.size(); line++) {
      add("<polyline fill=\"none\" stroke=\"%s\" points=\"", colour(line));
      for (PacingSample sample : lines.get(line).samples()) {
        double x = LEFT + WIDTH * sample.second() / seconds;
        double y = top + HEIGHT * (1 - value.applyAsDouble(sample) / Math.max(1e-9, most));
        add("%.1f,%.1f ", x, y);
      }
      add("\"/>%n");
    }
  }

  private static String colour(int line) {
    return COLOURS.get(line % COLOURS.size());
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private void add(String pattern, Object... values) {
    svg.append(String.format(Locale.ROOT, pattern, values));
  }
}

package io.millrace.simulator.pacing;

import io.millrace.simulator.pacing.PacingResult.PacingSample;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Curves over time, one panel below the other, each with a line for every run. An SVG document of
 * its own. Pure.
 *
 * @param <S> a point in time
 */
public final class CurvesChart<S> {
  private static final int WIDTH = 900;
  private static final int LEFT = 80;
  private static final int HEIGHT = 150;
  private static final int GAP = 46;
  private static final int TOP = 48;
  private static final int LEGEND_ROW = 18;
  private static final int LEGEND_COLUMNS = 2;
  private static final double LONG_IN_HOURS = 3 * 3600;
  private static final List<String> COLOURS =
      List.of("#1565c0", "#c62828", "#2e7d32", "#6a1b9a", "#ef6c00");

  private final StringBuilder svg = new StringBuilder();
  private final ToDoubleFunction<S> time;
  private final List<Line<S>> lines;
  private final int top;
  private final double seconds;

  /**
   * One run.
   *
   * @param name for the legend
   * @param samples at least one, by rising time
   */
  public record Line<S>(String name, List<S> samples) {}

  /**
   * One value of the runs.
   *
   * @param name with the unit
   */
  public record Panel<S>(String name, ToDoubleFunction<S> value) {}

  private CurvesChart(ToDoubleFunction<S> time, List<Line<S>> lines) {
    this.time = time;
    this.lines = lines;
    this.top = TOP + LEGEND_ROW * ((lines.size() + 1) / LEGEND_COLUMNS);
    List<S> first = lines.get(0).samples();
    this.seconds = time.applyAsDouble(first.get(first.size() - 1));
  }

  /**
   * The chart of these runs of one scenario.
   *
   * @param time of a point, in seconds
   */
  public static <S> String of(
      String title, ToDoubleFunction<S> time, List<Panel<S>> panels, List<Line<S>> lines) {
    return new CurvesChart<>(time, lines).draw(title, panels);
  }

  private String draw(String title, List<Panel<S>> panels) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
            + " font-size=\"12\">%n",
        WIDTH + LEFT + 20, top + panels.size() * (HEIGHT + GAP));
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n");
    add("<text x=\"%d\" y=\"20\" font-size=\"15\">%s</text>%n", LEFT, escaped(title));
    for (int line = 0; line < lines.size(); line++) {
      add(
          "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>%n",
          LEFT + WIDTH / LEGEND_COLUMNS * (line % LEGEND_COLUMNS),
          40 + LEGEND_ROW * (line / LEGEND_COLUMNS),
          colour(line),
          escaped(lines.get(line).name()));
    }
    for (int row = 0; row < panels.size(); row++) {
      panel(row, panels.get(row));
    }
    return svg.append("</svg>\n").toString();
  }

  private void panel(int row, Panel<S> panel) {
    int begin = top + row * (HEIGHT + GAP);
    double most =
        lines.stream()
            .flatMap(line -> line.samples().stream())
            .mapToDouble(panel.value())
            .max()
            .orElse(1);
    add(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>%n",
        LEFT, begin, WIDTH, HEIGHT);
    add("<text x=\"%d\" y=\"%d\">%s</text>%n", LEFT, begin - 5, escaped(panel.name()));
    add(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n",
        LEFT - 6, begin + 10, figure(most));
    add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>%n", LEFT - 6, begin + HEIGHT);
    for (int part = 0; part <= 4; part++) {
      add(
          "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#666\">%s</text>%n",
          LEFT + WIDTH * part / 4, begin + HEIGHT + 14, moment(seconds * part / 4));
    }
    for (int line = 0; line < lines.size(); line++) {
      add("<polyline fill=\"none\" stroke=\"%s\" points=\"", colour(line));
      for (S sample : lines.get(line).samples()) {
        double x = LEFT + WIDTH * Math.min(1, time.applyAsDouble(sample) / seconds);
        double y =
            begin + HEIGHT * (1 - panel.value().applyAsDouble(sample) / Math.max(1e-9, most));
        add("%.1f,%.1f ", x, y);
      }
      add("\"/>%n");
    }
  }

  private String moment(double second) {
    return seconds > LONG_IN_HOURS
        ? String.format(Locale.ROOT, "%.1f h", second / 3600)
        : String.format(Locale.ROOT, "%.0f s", second);
  }

  private static String figure(double value) {
    return value >= 1000
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.4g", value);
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

  /**
   * The four published curves of one or more runs: arrivals, worker rate, waiting events, delay
   * (H-213). An SVG document of its own. Pure.
   */
  public static final class PacingChart {
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
}

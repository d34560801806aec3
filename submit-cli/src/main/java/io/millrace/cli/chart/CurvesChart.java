package io.millrace.cli.chart;

import io.millrace.cli.chart.SvgDocument.Point;
import io.millrace.simulator.containers.CapacityResult.CapacitySample;
import io.millrace.simulator.pacing.PacingResult.PacingSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Curves over time, one panel below the other, each with a line for every run.
 *
 * @param <S> a point in time
 */
public final class CurvesChart<S> {
  private static final List<Panel<PacingSample>> PACING =
      List.of(
          new Panel<>("events arriving per second", PacingSample::arrivals),
          new Panel<>("workers submitted per second", PacingSample::workers),
          new Panel<>("waiting events", PacingSample::waiting),
          new Panel<>("delay: age of the oldest waiting event, s", PacingSample::delay));
  private static final List<Panel<CapacitySample>> CAPACITY =
      List.of(
          new Panel<>("consumers or workers needed", CapacitySample::needed),
          new Panel<>("consumers or workers held", CapacitySample::held),
          new Panel<>("waiting events", CapacitySample::waiting),
          new Panel<>("age of the oldest waiting event, s", CapacitySample::delay));

  private static final int WIDTH = 900;
  private static final int LEFT = 80;
  private static final int HEIGHT = 150;
  private static final int GAP = 46;
  private static final int TOP = 48;
  private static final int LEGEND_ROW = 18;
  private static final int LEGEND_COLUMNS = 2;
  private static final double HOURS_ABOVE_SECONDS = 3 * 3600;

  private final ToDoubleFunction<S> time;
  private final List<Line<S>> lines;
  private final List<Panel<S>> panels;
  private final int top;
  private final double seconds;
  private final SvgDocument svg;

  private CurvesChart(ToDoubleFunction<S> time, List<Panel<S>> panels, List<Line<S>> lines) {
    this.time = time;
    this.panels = panels;
    this.lines = lines;
    this.top = TOP + LEGEND_ROW * ((lines.size() + 1) / LEGEND_COLUMNS);
    List<S> first = lines.get(0).samples();
    this.seconds = time.applyAsDouble(first.get(first.size() - 1));
    this.svg = new SvgDocument(WIDTH + LEFT + 20, top + panels.size() * (HEIGHT + GAP));
  }

  /**
   * The published curves of runs of one scenario: arrivals, worker rate, waiting events, delay
   * (H-213).
   */
  public static String pacing(String title, List<Line<PacingSample>> lines) {
    return new CurvesChart<>(PacingSample::second, PACING, lines).draw(title);
  }

  /** A day of each arrangement of consumers. */
  public static String capacity(String title, List<Line<CapacitySample>> lines) {
    return new CurvesChart<>(CapacitySample::second, CAPACITY, lines).draw(title);
  }

  private String draw(String title) {
    svg.title(LEFT, title);
    for (int line = 0; line < lines.size(); line++) {
      svg.text(
          LEFT + (double) WIDTH / LEGEND_COLUMNS * (line % LEGEND_COLUMNS),
          40 + LEGEND_ROW * (line / LEGEND_COLUMNS),
          lines.get(line).name(),
          SvgDocument.colour(line));
    }
    for (int row = 0; row < panels.size(); row++) {
      panel(top + row * (HEIGHT + GAP), panels.get(row));
    }
    return svg.svg();
  }

  private void panel(int y, Panel<S> panel) {
    double maximum =
        lines.stream()
            .flatMap(line -> line.samples().stream())
            .mapToDouble(panel.value())
            .max()
            .orElse(1);
    svg.panel(LEFT, y, WIDTH, HEIGHT, panel.name(), figure(maximum));
    for (int part = 0; part <= 4; part++) {
      svg.textAround(LEFT + WIDTH * part / 4.0, y + HEIGHT + 14, moment(seconds * part / 4));
    }
    for (int line = 0; line < lines.size(); line++) {
      List<Point> points = new ArrayList<>();
      for (S sample : lines.get(line).samples()) {
        double share = panel.value().applyAsDouble(sample) / Math.max(1e-9, maximum);
        points.add(
            new Point(
                LEFT + WIDTH * Math.min(1, time.applyAsDouble(sample) / seconds),
                y + HEIGHT * (1 - share)));
      }
      svg.polyline(points, SvgDocument.colour(line));
    }
  }

  private String moment(double second) {
    return seconds > HOURS_ABOVE_SECONDS
        ? String.format(Locale.ROOT, "%.1f h", second / 3600)
        : String.format(Locale.ROOT, "%.0f s", second);
  }

  private static String figure(double value) {
    return String.format(Locale.ROOT, value >= 1000 ? "%,.0f" : "%.4g", value);
  }

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
  private record Panel<S>(String name, ToDoubleFunction<S> value) {}
}

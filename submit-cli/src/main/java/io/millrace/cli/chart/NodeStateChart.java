package io.millrace.cli.chart;

import io.millrace.api.queue.NodeState;
import io.millrace.cli.chart.SvgDocument.Point;
import io.millrace.simulator.balance.DayResult.DaySample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A simulated day as the published figures show it: events per second of every node, and below it
 * the number of nodes in each state (H-136).
 */
public final class NodeStateChart {
  private static final int WIDTH = 900;
  private static final int LEFT = 70;
  private static final int RATES_HEIGHT = 220;
  private static final int STATE_HEIGHT = 80;
  private static final int GAP = 34;
  private static final int TOP = 40;
  private static final double FIRST_HOUR = 4;

  private final SvgDocument svg;
  private final List<DaySample> samples;
  private final double seconds;

  private NodeStateChart(List<DaySample> samples) {
    this.samples = samples;
    this.seconds = Math.max(1, samples.get(samples.size() - 1).elapsed());
    int height = TOP + RATES_HEIGHT + GAP + NodeState.values().length * (STATE_HEIGHT + GAP);
    this.svg = new SvgDocument(WIDTH + LEFT + 20, height);
  }

  /**
   * The chart of a day as an SVG document.
   *
   * @param samples at least one
   */
  public static String of(String title, List<DaySample> samples) {
    return new NodeStateChart(samples).draw(title);
  }

  private String draw(String title) {
    int nodes = samples.get(0).rates().size();
    svg.title(LEFT, title);
    double maximum =
        samples.stream()
            .flatMap(sample -> sample.rates().stream())
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(1);
    panel("events/s of each node", TOP, RATES_HEIGHT, maximum);
    for (int node = 0; node < nodes; node++) {
      int index = node;
      line(sample -> sample.rates().get(index), TOP, RATES_HEIGHT, maximum, hue(node, nodes));
    }
    int top = TOP + RATES_HEIGHT + GAP;
    for (NodeState state : NodeState.values()) {
      panel("nodes " + state, top, STATE_HEIGHT, nodes);
      line(sample -> sample.states().get(state), top, STATE_HEIGHT, nodes, "#333");
      top += STATE_HEIGHT + GAP;
    }
    return svg.svg();
  }

  private void panel(String name, int top, int height, double maximum) {
    svg.panel(LEFT, top, WIDTH, height, name, String.format(Locale.ROOT, "%.0f", maximum));
    for (int hour = 0; hour <= 24; hour += 4) {
      svg.textAround(
          LEFT + WIDTH * hour / 24.0,
          top + height + 13,
          String.format(Locale.ROOT, "%02.0f:00", (hour + FIRST_HOUR) % 24));
    }
  }

  private void line(
      ToDoubleFunction<DaySample> value, int top, int height, double maximum, String colour) {
    List<Point> points = new ArrayList<>();
    for (DaySample sample : samples) {
      double share = value.applyAsDouble(sample) / Math.max(1e-9, maximum);
      points.add(new Point(LEFT + WIDTH * sample.elapsed() / seconds, top + height * (1 - share)));
    }
    svg.polyline(points, colour);
  }

  private static String hue(int node, int nodes) {
    return String.format(Locale.ROOT, "hsl(%d,60%%,45%%)", 360 * node / nodes);
  }
}

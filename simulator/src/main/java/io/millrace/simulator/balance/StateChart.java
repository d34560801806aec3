package io.millrace.simulator.balance;

import io.millrace.api.queue.NodeState;
import io.millrace.simulator.balance.DayResult.DaySample;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A day as the published figures show it: events per second of every node, and below it the number
 * of nodes in each state (H-136). An SVG document of its own. Pure.
 */
public final class StateChart {
  private static final int WIDTH = 900;
  private static final int LEFT = 70;
  private static final int RATES = 220;
  private static final int STATES = 80;
  private static final int GAP = 34;
  private static final int TOP = 40;
  private static final double BEGIN_HOUR = 4;

  private final StringBuilder svg = new StringBuilder();
  private final List<DaySample> samples;
  private final double seconds;

  private StateChart(List<DaySample> samples) {
    this.samples = samples;
    this.seconds = Math.max(1, samples.get(samples.size() - 1).elapsed());
  }

  /**
   * The chart of a day.
   *
   * @param title for its head
   * @param samples at least one
   */
  public static String of(String title, List<DaySample> samples) {
    return new StateChart(samples).draw(title);
  }

  private String draw(String title) {
    int nodes = samples.get(0).rates().size();
    int height = TOP + RATES + GAP + NodeState.values().length * (STATES + GAP);
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
            + " font-size=\"12\">%n",
        WIDTH + LEFT + 20, height);
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n");
    add("<text x=\"%d\" y=\"20\" font-size=\"15\">%s</text>%n", LEFT, title);
    double most =
        samples.stream()
            .flatMap(sample -> sample.rates().stream())
            .mapToDouble(r -> r)
            .max()
            .orElse(1);
    frame("events/s of each node", TOP, RATES, most);
    for (int node = 0; node < nodes; node++) {
      int index = node;
      line(sample -> sample.rates().get(index), TOP, RATES, most, colour(node, nodes));
    }
    int top = TOP + RATES + GAP;
    for (NodeState state : NodeState.values()) {
      frame("nodes " + state, top, STATES, nodes);
      line(sample -> sample.states().get(state), top, STATES, nodes, "#333");
      top += STATES + GAP;
    }
    return svg.append("</svg>\n").toString();
  }

  private void frame(String name, int top, int height, double most) {
    add(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>%n",
        LEFT, top, WIDTH, height);
    add("<text x=\"%d\" y=\"%d\">%s</text>%n", LEFT, top - 4, name);
    add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f</text>%n", LEFT - 6, top + 10, most);
    add("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>%n", LEFT - 6, top + height);
    for (int hour = 0; hour <= 24; hour += 4) {
      add(
          "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\" fill=\"#666\">%02.0f:00</text>%n",
          LEFT + WIDTH * hour / 24.0, top + height + 13, (hour + BEGIN_HOUR) % 24);
    }
  }

  private void line(
      ToDoubleFunction<DaySample> value, int top, int height, double most, String colour) {
    add("<polyline fill=\"none\" stroke=\"%s\" points=\"", colour);
    for (DaySample sample : samples) {
      double x = LEFT + WIDTH * sample.elapsed() / seconds;
      double y = top + height * (1 - value.applyAsDouble(sample) / Math.max(1e-9, most));
      add("%.1f,%.1f ", x, y);
    }
    add("\"/>%n");
  }

  private static String colour(int node, int nodes) {
    return String.format(Locale.ROOT, "hsl(%d,60%%,45%%)", 360 * node / nodes);
  }

  private void add(String pattern, Object... values) {
    svg.append(String.format(Locale.ROOT, pattern, values));
  }
}

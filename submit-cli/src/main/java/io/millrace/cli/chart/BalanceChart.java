package io.millrace.cli.chart;

import io.millrace.api.queue.NodeState;
import io.millrace.bench.queue.BalanceBench.Sample;
import io.millrace.cli.chart.SvgDocument.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * The benchmark of balancing: requested rate, load of each node with its state, and the points of
 * each queue by node.
 */
public final class BalanceChart {
  private static final int RIGHT = 950;
  private static final int LEFT = 90;
  private static final int WIDTH = RIGHT - LEFT;
  private static final int HEIGHT = 120;
  private static final int GAP = 34;
  private static final int TOP = 30;
  private static final int POINTS = 1_000;
  private static final String TOO_BUSY = "#e53e3e";

  private final List<Sample> samples;
  private final List<String> nodes;
  private final List<String> queues;
  private final double seconds;
  private final SvgDocument svg;

  private BalanceChart(List<Sample> samples) {
    this.samples = samples;
    this.nodes = List.copyOf(new TreeSet<>(samples.get(0).states().keySet()));
    this.queues = List.copyOf(samples.get(0).weights().keySet());
    this.seconds = samples.get(samples.size() - 1).seconds();
    this.svg = new SvgDocument(RIGHT + 10, top(2 + queues.size()) + 20);
  }

  /**
   * The chart of a run as an SVG document.
   *
   * @param samples at least one
   */
  public static String of(List<Sample> samples) {
    return new BalanceChart(samples).draw();
  }

  private String draw() {
    rates(top(0));
    loads(top(1));
    for (int i = 0; i < queues.size(); i++) {
      weights(queues.get(i), top(2 + i));
    }
    for (int second = 0; second <= seconds; second += 30) {
      svg.textAround(LEFT + WIDTH * second / seconds, top(2 + queues.size()) + 12, second + " s");
    }
    return svg.svg();
  }

  private static int top(int panel) {
    return TOP + panel * (HEIGHT + GAP);
  }

  private void rates(int top) {
    int maximum = samples.stream().mapToInt(Sample::rate).max().orElse(1);
    svg.panel(LEFT, top, WIDTH, HEIGHT, "events/s requested", String.valueOf(maximum));
    svg.polyline(points(top, sample -> (double) sample.rate() / maximum), "#4a5568");
  }

  private void loads(int top) {
    svg.panel(LEFT, top, WIDTH, HEIGHT, "load of each node (red: TOOBUSY)", "1.0");
    for (double mark : new double[] {0.5, 0.7}) {
      svg.gridLine(LEFT, RIGHT, y(top, mark));
    }
    for (int i = 0; i < nodes.size(); i++) {
      String node = nodes.get(i);
      svg.polyline(
          points(top, sample -> sample.loads().getOrDefault(node, 0.0)), SvgDocument.colour(i));
      for (Sample sample : samples) {
        if (sample.states().get(node) == NodeState.TOOBUSY) {
          svg.dot(point(sample, top, sample.loads().getOrDefault(node, 0.0)), TOO_BUSY);
        }
      }
      svg.text(LEFT + 260 + 40 * i, top - 6, node, SvgDocument.colour(i));
    }
  }

  private void weights(String queue, int top) {
    svg.panel(LEFT, top, WIDTH, HEIGHT, "points of " + queue + " by node", String.valueOf(POINTS));
    for (int i = nodes.size() - 1; i >= 0; i--) {
      List<String> stacked = nodes.subList(0, i + 1);
      List<Point> area =
          new ArrayList<>(points(top, sample -> share(sample.weights().get(queue), stacked)));
      area.add(point(samples.get(samples.size() - 1), top, 0));
      area.add(point(samples.get(0), top, 0));
      svg.area(area, SvgDocument.colour(i));
    }
  }

  private static double share(Map<String, Integer> weights, List<String> nodes) {
    return weights == null
        ? 0
        : nodes.stream().mapToDouble(node -> weights.getOrDefault(node, 0)).sum() / POINTS;
  }

  private List<Point> points(int top, ToDoubleFunction<Sample> share) {
    return samples.stream().map(sample -> point(sample, top, share.applyAsDouble(sample))).toList();
  }

  private Point point(Sample sample, int top, double share) {
    return new Point(LEFT + WIDTH * sample.seconds() / seconds, y(top, share));
  }

  private static double y(int top, double share) {
    return top + HEIGHT * (1 - Math.min(1, share));
  }
}

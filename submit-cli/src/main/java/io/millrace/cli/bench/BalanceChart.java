package io.millrace.cli.bench;

import io.millrace.api.insight.Overview;
import io.millrace.api.insight.QueueView;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Draws the benchmark: rate, load of each node with its state, and each queue's points by node. */
final class BalanceChart {
  private static final int WIDTH = 960;
  private static final int LEFT = 90;
  private static final int PANEL = 120;
  private static final int GAP = 34;
  private static final int TOP = 30;
  private static final int POINTS = 1_000;
  private static final List<String> COLOURS = List.of("#2b6cb0", "#38a169", "#d69e2e", "#805ad5");

  private final List<BalanceSample> samples;
  private final List<String> nodes;
  private final StringBuilder out = new StringBuilder();

  BalanceChart(List<BalanceSample> samples) {
    this.samples = samples;
    this.nodes = new ArrayList<>(new TreeSet<>(samples.get(0).states().keySet()));
  }

  String svg() {
    List<String> queues = new ArrayList<>(samples.get(0).weights().keySet());
    int panels = 2 + queues.size();
    int height = TOP + panels * (PANEL + GAP) + 20;
    say(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
            + " font-size=\"12\"><rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>",
        WIDTH, height);
    rates(top(0));
    loads(top(1));
    for (int i = 0; i < queues.size(); i++) {
      weights(queues.get(i), top(2 + i));
    }
    seconds(height - 8);
    say("</svg>");
    return out.toString();
  }

  private static int top(int panel) {
    return TOP + panel * (PANEL + GAP);
  }

  private void rates(int top) {
    int most = samples.stream().mapToInt(BalanceSample::rate).max().orElse(1);
    frame(top, "events/s asked for", String.valueOf(most));
    List<String> line = new ArrayList<>();
    samples.forEach(sample -> line.add(at(sample, top, (double) sample.rate() / most)));
    line(line, "#4a5568");
  }

  private void loads(int top) {
    frame(top, "load of each node (red: TOOBUSY)", "1.0");
    for (double mark : new double[] {0.5, 0.7}) {
      say(
          "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e2e8f0\"/>",
          LEFT, WIDTH - 10, y(top, mark), y(top, mark));
    }
    for (int i = 0; i < nodes.size(); i++) {
      String node = nodes.get(i);
      List<String> line = new ArrayList<>();
      for (BalanceSample sample : samples) {
        double load = sample.loads().getOrDefault(node, 0.0);
        line.add(at(sample, top, load));
        if (sample.states().get(node) == NodeState.TOOBUSY) {
          String[] point = at(sample, top, load).split(",", -1);
          say("<circle cx=\"%s\" cy=\"%s\" r=\"2.5\" fill=\"#e53e3e\"/>", point[0], point[1]);
        }
      }
      line(line, COLOURS.get(i % COLOURS.size()));
      say(
          "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>",
          LEFT + 260 + 40 * i, top - 6, COLOURS.get(i % COLOURS.size()), node);
    }
  }

  private void weights(String queue, int top) {
    frame(top, "points of " + queue + " by node", String.valueOf(POINTS));
    for (int i = nodes.size() - 1; i >= 0; i--) {
      List<String> area = new ArrayList<>();
      for (BalanceSample sample : samples) {
        Map<String, Integer> row = sample.weights().getOrDefault(queue, Map.of());
        int sum = 0;
        for (String node : nodes.subList(0, i + 1)) {
          sum += row.getOrDefault(node, 0);
        }
        area.add(at(sample, top, (double) sum / POINTS));
      }
      area.add(at(samples.get(samples.size() - 1), top, 0));
      area.add(at(samples.get(0), top, 0));
      say(
          "<polygon points=\"%s\" fill=\"%s\" fill-opacity=\"0.75\"/>",
          String.join(" ", area), COLOURS.get(i % COLOURS.size()));
    }
  }

  private void frame(int top, String title, String most) {
    say("<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>", LEFT, top - 6, title);
    say("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", LEFT - 6, top + 10, most);
    say("<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>", LEFT - 6, top + PANEL);
    say(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#cbd5e0\"/>",
        LEFT, top, WIDTH - 10 - LEFT, PANEL);
  }

  private void seconds(int y) {
    double last = samples.get(samples.size() - 1).seconds();
    for (int second = 0; second <= last; second += 30) {
      double x = LEFT + (WIDTH - 10 - LEFT) * second / last;
      say("<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d s</text>", x, y, second);
    }
  }

  private void line(List<String> points, String colour) {
    say(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>",
        String.join(" ", points), colour);
  }

  private String at(BalanceSample sample, int top, double share) {
    double last = samples.get(samples.size() - 1).seconds();
    double x = LEFT + (WIDTH - 10 - LEFT) * sample.seconds() / last;
    return String.format(Locale.ROOT, "%.1f,%.1f", x, y(top, share));
  }

  private static double y(int top, double share) {
    return top + PANEL * (1 - Math.min(1, share));
  }

  private void say(String form, Object... values) {
    out.append(String.format(Locale.ROOT, form, values)).append('\n');
  }

  /**
   * The cluster at one second of the benchmark.
   *
   * @param seconds since its begin
   * @param rate events asked for per second
   * @param states by node
   * @param loads by node
   * @param weights by queue and node
   */
  record BalanceSample(
      double seconds,
      int rate,
      Map<String, NodeState> states,
      Map<String, Double> loads,
      Map<String, Map<String, Integer>> weights) {
    static BalanceSample of(double seconds, int rate, Overview overview) {
      Map<String, NodeState> states = new TreeMap<>();
      Map<String, Double> loads = new TreeMap<>();
      for (QueueNodeView node : overview.queueNodes()) {
        states.put(node.name(), node.load().state());
        loads.put(node.name(), node.load().load());
      }
      Map<String, Map<String, Integer>> weights = new TreeMap<>();
      for (QueueView queue : overview.queues()) {
        weights.put(queue.name(), new TreeMap<>(queue.weights()));
      }
      return new BalanceSample(seconds, rate, states, loads, weights);
    }

    boolean anyTooBusy() {
      return states.containsValue(NodeState.TOOBUSY);
    }

    /** Nodes that hold weight of any queue. */
    long used() {
      return weights.values().stream().flatMap(row -> row.keySet().stream()).distinct().count();
    }
  }
}

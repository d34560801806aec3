package io.millrace.bench.queue;

import io.millrace.api.Durations;
import io.millrace.api.insight.Overview;
import io.millrace.api.insight.QueueView;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.bench.process.BenchServers;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Puts three queue nodes, of which one is slow, under low, high and again low load and records how
 * weight moves. Not thread-safe.
 */
public final class BalanceBench {
  private static final int NODES = 3;
  private static final int FEWEST_NODES = 2;
  private static final String HEAP = "256m";
  // Before a node is emptied; the default of 2m would make the last phase long.
  private static final String QUIET = "20s";
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final int MAX_DELIVERY_POLLS = 60;
  private static final int MAX_DECISIONS = 500;

  private final Plan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Waiter waiter = new Waiter();
  private final List<Sample> samples = new ArrayList<>();

  /**
   * A benchmark that has not started.
   *
   * @param progress receives a line for each step
   */
  public BalanceBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; blocks for the three phases. */
  public Result run() throws IOException, InterruptedException {
    System.setProperty("http.maxConnections", "32");
    try (BenchServers servers = new BenchServers(null, clock)) {
      List<URI> nodes = new ArrayList<>();
      for (int number = 1; number <= NODES; number++) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("balancing", Map.of("quiet", QUIET));
        if (number == NODES) {
          settings.put("writeDelay", Durations.format(plan.delay()));
        }
        nodes.add(servers.start("queue-node", "q" + number, HEAP, settings).address());
      }
      URI balancer =
          servers.start("load-balancer", "lb1", HEAP, Map.of("web", Map.of("port", 0))).address();
      return run(servers, new BalanceLoad(balancer, nodes, servers.token(), clock, plan.low()));
    }
  }

  /** One sample per second of the last run, oldest first. */
  public List<Sample> samples() {
    return Collections.unmodifiableList(samples);
  }

  private Result run(BenchServers servers, BalanceLoad load) throws InterruptedException {
    // All three nodes get a share first; then two segments are enough again.
    define(servers, NODES);
    while (samples.isEmpty() || last().usedNodes() < NODES) {
      sample(servers, 0, 0);
    }
    define(servers, FEWEST_NODES);
    samples.clear();
    load.start();
    long begin = clock.nanoTime();
    phase(servers, load, plan.low(), begin, 1);
    phase(servers, load, plan.high(), begin, 2);
    phase(servers, load, plan.low(), begin, 3);
    load.stopSending();
    for (int polls = 0;
        polls < MAX_DELIVERY_POLLS && load.delivered() < load.acknowledged();
        polls++) {
      waiter.await(POLL_INTERVAL);
    }
    load.stopConsuming();
    return result(servers, load);
  }

  private static void define(BenchServers servers, int minSegments) {
    for (String queue : BalanceLoad.QUEUES.keySet()) {
      servers.apply("kind: queue\nname: %s\nminSegments: %d\n".formatted(queue, minSegments));
    }
  }

  private void phase(BenchServers servers, BalanceLoad load, int rate, long begin, int number)
      throws InterruptedException {
    progress.accept("%d events/s for %d s".formatted(rate, plan.phase().toSeconds()));
    load.rate(rate);
    long end = begin + plan.phase().multipliedBy(number).toNanos();
    while (clock.nanoTime() - end < 0) {
      sample(servers, (clock.nanoTime() - begin) / 1e9, rate);
    }
  }

  private void sample(BenchServers servers, double seconds, int rate) throws InterruptedException {
    samples.add(Sample.of(seconds, rate, servers.central().overview()));
    waiter.await(POLL_INTERVAL);
  }

  private Result result(BenchServers servers, BalanceLoad load) {
    List<BalancingDecisionView> decisions =
        new ArrayList<>(servers.central().balancingDecisions(null, null, MAX_DECISIONS));
    Collections.reverse(decisions);
    // Before the load begins, points are assigned and not moved.
    List<WeightMove> moves =
        decisions.stream()
            .filter(decision -> decision.kind().movesLoad())
            .flatMap(decision -> decision.moves().stream())
            .toList();
    return new Result(
        tooBusyNodes(),
        secondsTooBusy(),
        lastOf(plan.high()).usedNodes(),
        last().usedNodes(),
        decisions.stream().filter(one -> one.kind().movesLoad() && !one.moves().isEmpty()).count(),
        moves.stream().mapToLong(WeightMove::points).sum(),
        load.acknowledged(),
        load.delivered(),
        Math.max(0, load.acknowledged() - load.delivered()),
        decisions.stream().map(BalancingDecisionView::reason).toList());
  }

  private List<String> tooBusyNodes() {
    TreeSet<String> nodes = new TreeSet<>();
    for (Sample sample : samples) {
      sample
          .states()
          .forEach(
              (node, state) -> {
                if (state == NodeState.TOOBUSY) {
                  nodes.add(node);
                }
              });
    }
    return List.copyOf(nodes);
  }

  private Sample last() {
    return samples.get(samples.size() - 1);
  }

  private Sample lastOf(int rate) {
    return samples.stream()
        .filter(sample -> sample.rate() == rate)
        .reduce((earlier, later) -> later)
        .orElseThrow();
  }

  private Double secondsTooBusy() {
    List<Double> times =
        samples.stream()
            .filter(sample -> sample.rate() == plan.high() && sample.anyTooBusy())
            .map(Sample::seconds)
            .toList();
    if (times.isEmpty() || lastOf(plan.high()).anyTooBusy()) {
      return null;
    }
    return times.get(times.size() - 1) - times.get(0);
  }

  /**
   * What is done.
   *
   * @param low events per second in the first and the last phase
   * @param high events per second in the phase between them
   * @param phase duration of each phase
   * @param delay of each write of the slow node
   */
  public record Plan(int low, int high, Duration phase, Duration delay) {}

  /**
   * The outcome; the components are the fields of {@code --json}.
   *
   * @param tooBusyNodes nodes that were TOOBUSY at any time
   * @param secondsTooBusy from the first TOOBUSY until no node was TOOBUSY any more, before the
   *     load fell; null when that did not happen
   * @param usedAtPeak nodes with weight when the load fell
   * @param usedAtEnd nodes with weight at the end
   * @param moves decisions that moved weight
   * @param pointsMoved points that they moved
   * @param putsAcknowledged events whose put was acknowledged
   * @param delivered distinct events delivered
   * @param lost events acknowledged and not delivered
   * @param decisions reasons of the decisions, oldest first
   */
  public record Result(
      List<String> tooBusyNodes,
      Double secondsTooBusy,
      long usedAtPeak,
      long usedAtEnd,
      long moves,
      long pointsMoved,
      long putsAcknowledged,
      long delivered,
      long lost,
      List<String> decisions) {
    /** Whether the cluster balanced as required and no event was lost. */
    public boolean passed() {
      return !tooBusyNodes.isEmpty()
          && secondsTooBusy != null
          && usedAtEnd == FEWEST_NODES
          && lost == 0;
    }
  }

  /**
   * The cluster at one second of the benchmark.
   *
   * @param seconds since the start
   * @param rate events requested per second
   * @param states by node
   * @param loads by node
   * @param weights by queue and node
   */
  public record Sample(
      double seconds,
      int rate,
      Map<String, NodeState> states,
      Map<String, Double> loads,
      Map<String, Map<String, Integer>> weights) {
    static Sample of(double seconds, int rate, Overview overview) {
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
      return new Sample(seconds, rate, states, loads, weights);
    }

    boolean anyTooBusy() {
      return states.containsValue(NodeState.TOOBUSY);
    }

    /** Number of nodes that hold weight of any queue. */
    long usedNodes() {
      return weights.values().stream().flatMap(row -> row.keySet().stream()).distinct().count();
    }
  }
}

package io.millrace.cli.bench;

import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.WeightMove;
import io.millrace.cli.invocation.Invocation;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** Runs the benchmark of balancing and prints it. */
final class BalanceBench {
  private static final int NODES = 3;
  private static final int FEWEST_NODES = 2;
  private static final String HEAP = "256m";
  // Before a node is emptied; the default of 2m would make the last phase long.
  private static final String QUIET = "20s";
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final int MOST_DECISIONS = 500;

  /**
   * What is done.
   *
   * @param low events per second in the first and the last phase
   * @param high events per second in between
   * @param phase length of each phase
   * @param delay of each write of the weak node
   * @param svg where to write a chart; null for nowhere
   */
  record Plan(int low, int high, Duration phase, Duration delay, Path svg) {}

  private final Invocation invocation;
  private final Plan plan;
  private final Clock clock;
  private final Waiter waiter = new Waiter();
  private final List<BalanceSample> samples = new ArrayList<>();

  BalanceBench(Invocation invocation, Plan plan) {
    this.invocation = invocation;
    this.plan = plan;
    this.clock = invocation.clock();
  }

  /** Whether everything came as it is asked for. */
  boolean run() throws IOException, InterruptedException {
    System.setProperty("http.maxConnections", "32");
    try (BenchRoles roles = new BenchRoles(null, clock)) {
      List<URI> nodes = new ArrayList<>();
      for (int number = 1; number <= NODES; number++) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("balancing", Map.of("quiet", QUIET));
        if (number == NODES) {
          settings.put("writeDelay", Durations.format(plan.delay()));
        }
        nodes.add(roles.start("queue-node", "q" + number, HEAP, settings).address());
      }
      URI balancer =
          roles.start("load-balancer", "lb1", HEAP, Map.of("web", Map.of("port", 0))).address();
      BalanceLoad load = new BalanceLoad(balancer, nodes, roles.token(), clock, plan.low());
      BalanceResult result = run(roles, load);
      if (plan.svg() != null) {
        Files.writeString(plan.svg(), new BalanceChart(samples).svg());
      }
      print(result);
      return result.good(FEWEST_NODES);
    }
  }

  private BalanceResult run(BenchRoles roles, BalanceLoad load) throws InterruptedException {
    // All three nodes get a part first; then two segments are enough again.
    define(roles, NODES);
    while (samples.isEmpty() || samples.get(samples.size() - 1).used() < NODES) {
      sample(roles, 0, 0);
    }
    define(roles, FEWEST_NODES);
    samples.clear();
    load.start();
    long begun = clock.nanoTime();
    phase(roles, load, plan.low(), begun, 1);
    phase(roles, load, plan.high(), begun, 2);
    phase(roles, load, plan.low(), begun, 3);
    load.stopSending();
    for (int looks = 0; looks < 60 && load.delivered() < load.acknowledged(); looks++) {
      waiter.await(LOOK);
    }
    load.stopConsuming();
    return result(roles, load);
  }

  private void define(BenchRoles roles, int minSegments) {
    BalanceLoad.QUEUES
        .keySet()
        .forEach(
            name ->
                roles.apply("kind: queue\nname: " + name + "\nminSegments: " + minSegments + "\n"));
  }

  private void phase(BenchRoles roles, BalanceLoad load, int rate, long begun, int number)
      throws InterruptedException {
    invocation.terminal().note(rate + " events/s for " + plan.phase().toSeconds() + " s");
    load.rate(rate);
    long end = begun + plan.phase().multipliedBy(number).toNanos();
    while (clock.nanoTime() - end < 0) {
      sample(roles, (clock.nanoTime() - begun) / 1e9, rate);
    }
  }

  private void sample(BenchRoles roles, double seconds, int rate) throws InterruptedException {
    samples.add(BalanceSample.of(seconds, rate, roles.central().overview()));
    waiter.await(LOOK);
  }

  private BalanceResult result(BenchRoles roles, BalanceLoad load) {
    List<BalancingDecisionView> decisions =
        new ArrayList<>(roles.central().balancingDecisions(null, null, MOST_DECISIONS));
    Collections.reverse(decisions);
    // Before the load begins, points are given and not moved.
    List<WeightMove> moves =
        decisions.stream()
            .filter(decision -> decision.kind().movesLoad())
            .flatMap(decision -> decision.moves().stream())
            .toList();
    TreeSet<String> tooBusy = new TreeSet<>();
    samples.forEach(
        sample ->
            sample
                .states()
                .forEach(
                    (node, state) -> {
                      if (state == NodeState.TOOBUSY) {
                        tooBusy.add(node);
                      }
                    }));
    return new BalanceResult(
        List.copyOf(tooBusy),
        secondsTooBusy(),
        lastOf(plan.high()).used(),
        samples.get(samples.size() - 1).used(),
        decisions.stream().filter(one -> one.kind().movesLoad() && !one.moves().isEmpty()).count(),
        moves.stream().mapToLong(WeightMove::points).sum(),
        load.acknowledged(),
        load.delivered(),
        Math.max(0, load.acknowledged() - load.delivered()),
        decisions.stream().map(BalancingDecisionView::reason).toList());
  }

  private BalanceSample lastOf(int rate) {
    return samples.stream()
        .filter(sample -> sample.rate() == rate)
        .reduce((earlier, later) -> later)
        .orElseThrow();
  }

  private Double secondsTooBusy() {
    List<Double> times =
        samples.stream()
            .filter(sample -> sample.rate() == plan.high() && sample.anyTooBusy())
            .map(BalanceSample::seconds)
            .toList();
    if (times.isEmpty() || lastOf(plan.high()).anyTooBusy()) {
      return null;
    }
    return times.get(times.size() - 1) - times.get(0);
  }

  private void print(BalanceResult result) {
    if (invocation.json()) {
      invocation.terminal().line(Json.write(result));
      return;
    }
    result.decisions().forEach(decision -> invocation.terminal().line("  " + decision));
    invocation
        .terminal()
        .line(
            String.format(
                Locale.ROOT,
                "%s; used nodes: %d at the peak, %d at the end; %d moves of %d"
                    + " points; %d events acknowledged, %d lost",
                tooBusy(result),
                result.usedAtPeak(),
                result.usedAtEnd(),
                result.moves(),
                result.pointsMoved(),
                result.putsAcknowledged(),
                result.lost()));
  }

  private static String tooBusy(BalanceResult result) {
    if (result.tooBusyNodes().isEmpty()) {
      return "no node was TOOBUSY; ask for more with --high or --delay";
    }
    String time =
        result.secondsTooBusy() == null
            ? "the whole peak"
            : Math.round(result.secondsTooBusy()) + " s";
    return String.join(", ", result.tooBusyNodes()) + " TOOBUSY for " + time;
  }
}

package io.millrace.cli.bench;

import io.millrace.api.Durations;
import io.millrace.api.Json;
import io.millrace.api.queue.NodeState;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.api.weight.MoveRequest.WeightMove;
import io.millrace.cli.bench.BalanceChart.BalanceSample;
import io.millrace.cli.invocation.ExitCode;
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
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace bench balance}. */
@Command(
    name = "balance",
    description = "Shows weight leave a node that is too weak, and nodes that are not needed.",
    footer = {
      "",
      "Three queue nodes and a load balancer run as processes of their own; the store's writer of",
      "the third really waits at each write. Load is low, then high, then low again. Asked is that",
      "the weak node becomes TOOBUSY, that no node is TOOBUSY any more before the load falls, and",
      "that the cluster ends on the fewest nodes.",
      "",
      "Example:",
      "  millrace bench balance --svg balance.svg"
    })
final class BalanceBenchCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(names = "--low", defaultValue = "30", description = "Events per second at first, last.")
  private int low;

  @Option(names = "--high", defaultValue = "600", description = "Events per second in between.")
  private int high;

  @Option(names = "--phase", defaultValue = "90s", description = "Length of each phase.")
  private Duration phase;

  @Option(
      names = "--delay",
      defaultValue = "3ms",
      description = "What each write of the third node's store waits (default: ${DEFAULT-VALUE}).")
  private Duration delay;

  @Option(names = "--svg", paramLabel = "FILE", description = "Write a chart.")
  private Path svg;

  BalanceBenchCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    NodeOptions.require(low >= 1 && high > low, "--low is at least 1 and --high is above it");
    NodeOptions.require(phase.toSeconds() >= 10, "--phase is at least 10s");
    NodeOptions.require(!delay.isNegative(), "--delay is not negative");
    BalanceBench.Plan plan = new BalanceBench.Plan(low, high, phase, delay, svg);
    boolean kept = new BalanceBench(invocation, plan).run();
    return (kept ? ExitCode.OK : ExitCode.FAILED).code();
  }

  /** Runs the benchmark of balancing and prints it. */
  private static final class BalanceBench {
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
                  roles.apply(
                      "kind: queue\nname: " + name + "\nminSegments: " + minSegments + "\n"));
    }

    private void phase(BenchRoles roles, BalanceLoad load, int rate, long begun, int number)
        throws InterruptedException {
      invocation.note(rate + " events/s for " + plan.phase().toSeconds() + " s");
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
          decisions.stream()
              .filter(one -> one.kind().movesLoad() && !one.moves().isEmpty())
              .count(),
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
        invocation.line(Json.write(result));
        return;
      }
      result.decisions().forEach(decision -> invocation.line("  " + decision));
      invocation.line(
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

    /**
     * What came of the benchmark; the fields are those of {@code --json}.
     *
     * @param tooBusyNodes nodes that were TOOBUSY at any time
     * @param secondsTooBusy from the first TOOBUSY until no node was any more, before the load
     *     fell; null when that did not come
     * @param usedAtPeak nodes with weight when the load fell
     * @param usedAtEnd nodes with weight at the end
     * @param moves decisions that moved weight
     * @param pointsMoved points that they moved
     * @param putsAcknowledged events whose put was acknowledged
     * @param delivered of them
     * @param lost acknowledged and not delivered
     * @param decisions what was decided, in words, oldest first
     */
    private record BalanceResult(
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
      /** Whether everything came as it is asked for. */
      boolean good(int fewestNodes) {
        return !tooBusyNodes.isEmpty()
            && secondsTooBusy != null
            && usedAtEnd == fewestNodes
            && lost == 0;
      }
    }
  }
}

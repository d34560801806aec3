package io.millrace.bench.session;

import io.millrace.bench.queue.QueueNodeCluster.ClusterShape;
import io.millrace.bench.session.SessionQueueNode.QueueRules;
import io.millrace.bench.session.SessionRound.RoundResult;
import io.millrace.bench.session.SessionRound.SessionLoad;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Measures what it costs to open, assign and complete a session while ever more others are open,
 * and the heap that these take. Not thread-safe.
 */
public final class OpenSessionsBench {
  private static final int PROBES = 3;
  private static final int SMALLEST = 1_000;
  private static final int STEP = 10;
  private static final double MICROS = 1e6;
  // The cost of a search through all sessions would grow a thousandfold from 1,000 to a million.
  private static final double INDEPENDENT = 3;

  private final Plan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private int rounds;

  /**
   * A benchmark that has not started.
   *
   * @param progress receives a line for each step
   */
  public OpenSessionsBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; blocks for minutes. */
  public Result run() throws IOException, InterruptedException {
    System.setProperty("http.maxConnections", String.valueOf(plan.producers() + plan.workers()));
    try (SessionQueueNode node =
        SessionQueueNode.start(plan.shape(), QueueRules.unlimited("/k"), clock)) {
      List<SessionBenchWorker> workers = node.workers(plan.workers(), plan.batch());
      progress.accept("warming up");
      for (int i = 0; i < PROBES; i++) {
        round(node, workers, plan.probes(), 1, true);
      }
      long empty = node.process().liveHeap();
      return fill(node, workers, empty);
    }
  }

  private Result fill(SessionQueueNode node, List<SessionBenchWorker> workers, long emptyHeap)
      throws IOException, InterruptedException {
    List<OpenCost> costs = new ArrayList<>();
    long wrong = 0;
    int open = 0;
    double opening = 0;
    for (int level : levels(plan.open())) {
      RoundResult opened = round(node, workers, level - open, plan.eventsOpen(), false);
      opening += opened.activeSeconds();
      wrong += opened.lost() + opened.orderViolations();
      open = level;
      List<Double> micros = new ArrayList<>();
      for (int i = 0; i < PROBES; i++) {
        RoundResult probe = round(node, workers, plan.probes(), 1, true);
        wrong += probe.lost() + probe.orderViolations() + probe.unfinished();
        micros.add(probe.activeSeconds() * MICROS / plan.probes());
      }
      Collections.sort(micros);
      costs.add(new OpenCost(open, Math.round(micros.get(PROBES / 2) * 10) / 10.0));
      progress.accept(
          String.format(
              Locale.ROOT,
              "%,d sessions open: %s us to open, assign and complete one more",
              open,
              costs.get(costs.size() - 1).microsPerSession()));
    }
    boolean alive = node.process().alive();
    return new Result(
        open,
        plan.workers(),
        Math.round(open / opening),
        node.process().maxHeap() >> 20,
        alive ? node.process().liveHeap() >> 20 : 0,
        emptyHeap >> 20,
        alive,
        costs,
        Math.round(
                100
                    * costs.get(costs.size() - 1).microsPerSession()
                    / costs.get(0).microsPerSession())
            / 100.0,
        wrong);
  }

  /** 1,000, ten times as many, and so on up to the number itself. */
  static List<Integer> levels(int open) {
    List<Integer> levels = new ArrayList<>();
    for (long level = SMALLEST; level < open; level *= STEP) {
      levels.add((int) level);
    }
    levels.add(open);
    return levels;
  }

  private RoundResult round(
      SessionQueueNode node,
      List<SessionBenchWorker> workers,
      int sessions,
      int events,
      boolean completed)
      throws InterruptedException {
    String name = "o" + rounds++;
    SessionSource source =
        new GeneratedSessions(name, sessions, events, completed, plan.shape().payload());
    SessionLoad load = new SessionLoad(plan.producers(), plan.batch(), 0, true, 0);
    RoundResult result =
        new SessionRound(name, source, load, node.client(), workers, clock, SessionRound.STALLED)
            .run();
    result.examples().forEach(progress);
    return result;
  }

  /**
   * What is measured.
   *
   * @param open sessions in the end
   * @param eventsOpen events of each of them
   * @param probes further sessions of one event that are opened, assigned and completed each time
   * @param batch events per request
   * @param producers number of concurrent producers
   * @param workers number of workers
   * @param shape of the queue node
   */
  public record Plan(
      int open,
      int eventsOpen,
      int probes,
      int batch,
      int producers,
      int workers,
      ClusterShape shape) {}

  /**
   * The cost of a session.
   *
   * @param open other sessions that are open
   * @param microsPerSession time to open, assign and complete one, with all producers and workers
   *     at once; the median of three
   */
  public record OpenCost(int open, double microsPerSession) {}

  /**
   * A queue node with open sessions; the components are the fields of {@code --json}.
   *
   * @param open sessions, each with a worker
   * @param workers number of workers
   * @param openedPerSecond sessions opened and assigned per second
   * @param maxHeapMegabytes the node's maximum heap
   * @param liveHeapMegabytes live objects after a collection, with all sessions open
   * @param emptyHeapMegabytes the same before the first of them
   * @param nodeAlive whether the node runs
   * @param costs of a session while others are open
   * @param ratio of the last cost to the first
   * @param wrong events lost or out of order, and sessions not completed
   */
  public record Result(
      int open,
      int workers,
      long openedPerSecond,
      long maxHeapMegabytes,
      long liveHeapMegabytes,
      long emptyHeapMegabytes,
      boolean nodeAlive,
      List<OpenCost> costs,
      double ratio,
      long wrong) {
    /** Whether the node lives, nothing went wrong, and the cost hardly depends on the number. */
    public boolean passed() {
      return nodeAlive && wrong == 0 && ratio <= INDEPENDENT;
    }
  }
}

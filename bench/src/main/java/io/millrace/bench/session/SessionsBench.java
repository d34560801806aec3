package io.millrace.bench.session;

import io.millrace.bench.queue.QueueBench;
import io.millrace.bench.queue.QueueNodeCluster.ClusterShape;
import io.millrace.bench.session.SessionQueueNode.QueueRules;
import io.millrace.bench.session.SessionRound.RoundResult;
import io.millrace.bench.session.SessionRound.SessionLoad;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Measures events per second through sessions, beside those of an ordinary queue in the same run.
 * Not thread-safe.
 */
public final class SessionsBench {
  private static final int WARM_UP_ROUNDS = 3;
  private static final int WARM_UP_SHARE = 5;

  private final Plan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private int rounds;

  /**
   * A benchmark that has not started.
   *
   * @param progress receives a line for each step
   */
  public SessionsBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; blocks for minutes. */
  public Result run() throws IOException, InterruptedException {
    // Idle connections kept for each thread; with the default of 5, threads would reconnect.
    System.setProperty("http.maxConnections", String.valueOf(plan.producers() + plan.workers()));
    long reference = reference();
    try (SessionQueueNode node =
        SessionQueueNode.start(plan.shape(), QueueRules.unlimited("/k"), clock)) {
      List<SessionBenchWorker> workers = node.workers(plan.workers(), plan.batch());
      progress.accept("sessions: warming up");
      for (int i = 0; i < WARM_UP_ROUNDS; i++) {
        once(node, workers, Math.max(plan.producers(), plan.sessions() / WARM_UP_SHARE));
      }
      List<RoundResult> runs = new ArrayList<>();
      for (int number = 1; number <= plan.runs(); number++) {
        RoundResult result = once(node, workers, plan.sessions());
        runs.add(result);
        result.examples().forEach(progress);
        progress.accept(
            String.format(
                Locale.ROOT, "sessions, run %d: %,d events/s", number, result.perSecond()));
      }
      return Result.of(runs, reference);
    }
  }

  private long reference() throws IOException, InterruptedException {
    QueueBench.Plan queue =
        new QueueBench.Plan(
            List.of(plan.batch()),
            plan.events(),
            plan.runs(),
            plan.producers(),
            plan.workers(),
            plan.shape());
    return new QueueBench(queue, clock, progress).run(result -> {}).get(0).endToEndPerSecond();
  }

  private RoundResult once(SessionQueueNode node, List<SessionBenchWorker> workers, int sessions)
      throws InterruptedException {
    String name = "r" + rounds++;
    SessionSource source =
        new GeneratedSessions(
            name, sessions, plan.eventsPerSession(), true, plan.shape().payload());
    SessionLoad load = new SessionLoad(plan.producers(), plan.batch(), plan.duplicates(), true, 0);
    return new SessionRound(name, source, load, node.client(), workers, clock, SessionRound.STALLED)
        .run();
  }

  /**
   * What is measured.
   *
   * @param sessions in each run
   * @param eventsPerSession events of each
   * @param batch events per request
   * @param runs number of runs
   * @param producers number of concurrent producers
   * @param workers number of workers
   * @param duplicates share of events that are sent again
   * @param shape of the queue node
   */
  public record Plan(
      int sessions,
      int eventsPerSession,
      int batch,
      int runs,
      int producers,
      int workers,
      double duplicates,
      ClusterShape shape) {
    int events() {
      return sessions * eventsPerSession;
    }
  }

  /**
   * The median run; the components are the fields of {@code --json}.
   *
   * @param ratio of the two rates
   * @param handovers assignments after a session's first one, in all runs
   * @param redelivered deliveries of what the same worker had before, in all runs
   * @param unfinished sessions whose completion was never confirmed, in all runs
   * @param events of one run
   * @param sessions of one run
   * @param eventsPerSecond events put, delivered and acknowledged per second, all at once
   * @param queueEventsPerSecond the same without sessions, leased and acknowledged
   * @param lost events accepted and never delivered, in all runs
   * @param orderViolations deliveries that broke the order of a key, in all runs
   * @param duplicatesSent events sent again, in all runs
   * @param duplicatesReported those of them that the node refused or called repeated
   */
  public record Result(
      double ratio,
      long handovers,
      long redelivered,
      long unfinished,
      long events,
      int sessions,
      long eventsPerSecond,
      long queueEventsPerSecond,
      long lost,
      long orderViolations,
      long duplicatesSent,
      long duplicatesReported) {
    static Result of(List<RoundResult> runs, long reference) {
      List<RoundResult> sorted = new ArrayList<>(runs);
      sorted.sort(Comparator.comparingLong(RoundResult::perSecond));
      RoundResult median = sorted.get(sorted.size() / 2);
      // What went wrong in any run counts, not only in the median one.
      return new Result(
          Math.round(100.0 * median.perSecond() / reference) / 100.0,
          runs.stream().mapToLong(RoundResult::handovers).sum(),
          runs.stream().mapToLong(RoundResult::repeated).sum(),
          runs.stream().mapToLong(RoundResult::unfinished).sum(),
          median.events(),
          median.sessions(),
          median.perSecond(),
          reference,
          runs.stream().mapToLong(RoundResult::lost).sum(),
          runs.stream().mapToLong(RoundResult::orderViolations).sum(),
          runs.stream().mapToLong(RoundResult::duplicatesSent).sum(),
          runs.stream().mapToLong(RoundResult::duplicatesReported).sum());
    }

    /** Whether nothing was lost, disordered, left or doubled in silence. */
    public boolean passed() {
      return lost == 0
          && orderViolations == 0
          && unfinished == 0
          && duplicatesSent == duplicatesReported;
    }
  }
}

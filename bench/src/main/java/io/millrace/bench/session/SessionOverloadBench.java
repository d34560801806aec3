package io.millrace.bench.session;

import io.millrace.api.MillraceException;
import io.millrace.bench.queue.QueueNodeCluster.ClusterShape;
import io.millrace.bench.session.SessionQueueNode.QueueRules;
import io.millrace.bench.session.SessionRound.RoundResult;
import io.millrace.bench.session.SessionRound.SessionLoad;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Offers more sessions than may wait, to a queue without workers, by producers that wait when they
 * are asked to; then lets workers join. Not thread-safe.
 */
public final class SessionOverloadBench {
  private static final Duration SAMPLE_INTERVAL = Duration.ofMillis(50);
  private static final Duration BLOCKED = Duration.ofSeconds(3);
  private static final int MAX_POLLS = 100;

  private final Plan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Waiter waiter = new Waiter();
  private final AtomicLong most = new AtomicLong();
  private final AtomicLong samples = new AtomicLong();

  /**
   * A benchmark that has not started.
   *
   * @param progress receives a line for each step
   */
  public SessionOverloadBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; blocks until all is consumed, or nothing happens any more. */
  public Result run() throws IOException, InterruptedException {
    System.setProperty("http.maxConnections", String.valueOf(plan.producers() + plan.workers()));
    QueueRules rules = QueueRules.unlimited("/k").withMaxUnassigned(plan.cap());
    try (SessionQueueNode node = SessionQueueNode.start(plan.shape(), rules, clock)) {
      SessionSource source =
          new GeneratedSessions(
              "overload", plan.sessions(), plan.eventsPerSession(), true, plan.shape().payload());
      SessionLoad load = new SessionLoad(plan.producers(), plan.batch(), 0, false, 0);
      SessionRound round =
          new SessionRound(
              "overload",
              source,
              load,
              node.client(),
              node.workers(plan.workers(), plan.batch()),
              clock,
              SessionRound.STALLED);
      round.startProducers();
      round.start(() -> sample(node, round));
      awaitRefusals(round);
      long before = round.accepted();
      progress.accept(
          "%d events accepted, at most %d sessions without a worker, %d answers asked to wait;"
                  .formatted(before, most.get(), round.refusals())
              + " now the workers join");
      round.startWorkers();
      RoundResult result = round.await();
      result.examples().forEach(progress);
      return new Result(
          plan.cap(),
          most.get(),
          samples.get(),
          before,
          result.refusals(),
          result.unfinished(),
          result.events(),
          result.sessions(),
          result.perSecond(),
          plan.sessions() * (long) plan.eventsPerSession() - result.events(),
          result.lost(),
          result.orderViolations());
    }
  }

  private void sample(SessionQueueNode node, SessionRound round) {
    while (!round.over() && !Thread.currentThread().isInterrupted()) {
      try {
        long unassigned = node.unassigned();
        most.accumulateAndGet(unassigned, Math::max);
        samples.incrementAndGet();
      } catch (MillraceException unanswered) {
        // The next sample counts.
      }
      LockSupport.parkNanos(SAMPLE_INTERVAL.toNanos());
    }
  }

  /** Until no producer gets anything stored any more. */
  private void awaitRefusals(SessionRound round) throws InterruptedException {
    long accepted = -1;
    for (int polls = 0; polls < MAX_POLLS && !round.over(); polls++) {
      if (round.refusals() > 0 && round.accepted() == accepted) {
        return;
      }
      accepted = round.accepted();
      waiter.await(BLOCKED);
    }
  }

  /**
   * What is done.
   *
   * @param sessions offered
   * @param eventsPerSession events of each
   * @param cap the most sessions without a worker
   * @param batch events per request
   * @param producers number of concurrent producers
   * @param workers that join
   * @param shape of the queue node
   */
  public record Plan(
      int sessions,
      int eventsPerSession,
      int cap,
      int batch,
      int producers,
      int workers,
      ClusterShape shape) {}

  /**
   * The outcome; the components are the fields of {@code --json}.
   *
   * @param cap the most sessions without a worker that are allowed
   * @param mostUnassigned the most that were seen
   * @param samples how often that was looked at
   * @param acceptedBefore events accepted before the workers joined
   * @param refusals answers that asked a producer to send a batch again
   * @param unfinished sessions whose completion was never confirmed
   * @param events that were accepted in the end
   * @param sessions that were offered
   * @param eventsPerSecond over the whole time
   * @param refusedForEver events that were never accepted
   * @param lost events accepted and never delivered
   * @param orderViolations deliveries that broke the order of a key
   */
  public record Result(
      int cap,
      long mostUnassigned,
      long samples,
      long acceptedBefore,
      long refusals,
      long unfinished,
      long events,
      int sessions,
      long eventsPerSecond,
      long refusedForEver,
      long lost,
      long orderViolations) {
    /** Whether the cap held, producers were refused for a while only, and all was consumed. */
    public boolean passed() {
      return mostUnassigned <= cap
          && samples > 0
          && refusals > 0
          && refusedForEver == 0
          && unfinished == 0
          && lost == 0
          && orderViolations == 0;
    }
  }
}

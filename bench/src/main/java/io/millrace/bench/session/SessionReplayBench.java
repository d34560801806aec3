package io.millrace.bench.session;

import com.fasterxml.jackson.core.JsonPointer;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.bench.queue.QueueNodeCluster.ClusterShape;
import io.millrace.bench.session.KeyedEventFile.EventShape;
import io.millrace.bench.session.SessionQueueNode.QueueRules;
import io.millrace.bench.session.SessionRound.RoundResult;
import io.millrace.bench.session.SessionRound.SessionLoad;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Sends the events of a file through sessions, possibly while workers and the queue node are killed
 * in turn, and checks each key's order. Not thread-safe.
 */
public final class SessionReplayBench {
  // So short that a killed worker's sessions have another one before the next is killed.
  private static final Duration HEARTBEAT = Duration.ofSeconds(1);
  // A node that was lost is served again only when its lease and the workers' deadline have passed.
  private static final Duration STALLED = Duration.ofMinutes(5);
  private static final Duration LOOK = Duration.ofMillis(50);

  private final Plan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final AtomicInteger workersKilled = new AtomicInteger();
  private final AtomicInteger nodesKilled = new AtomicInteger();

  /**
   * A benchmark that has not started.
   *
   * @param progress receives a line for each step
   */
  public SessionReplayBench(Plan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it; blocks until all sessions are completed, or nothing happens any more. */
  public Result run() throws IOException, InterruptedException {
    System.setProperty("http.maxConnections", String.valueOf(plan.producers() + plan.workers()));
    EventShape shape =
        new EventShape(
            JsonPointer.compile(plan.key()),
            JsonPointer.compile(plan.id()),
            JsonPointer.compile(plan.previous()));
    ReplayedSessions source = new ReplayedSessions(KeyedEventFile.read(plan.file(), shape));
    progress.accept("%d events of %d keys".formatted(source.events(), source.sessions()));
    QueueRules rules = QueueRules.unlimited(plan.key()).withHeartbeat(HEARTBEAT);
    try (SessionQueueNode node = SessionQueueNode.start(plan.shape(), rules, clock)) {
      List<SessionBenchWorker> workers = node.workers(plan.workers(), plan.batch());
      SessionLoad load =
          new SessionLoad(plan.producers(), plan.batch(), plan.duplicates(), true, plan.rate());
      SessionRound round =
          new SessionRound("replay", source, load, node.client(), workers, clock, STALLED);
      round.startProducers();
      round.startWorkers();
      if (!plan.killEvery().isZero()) {
        round.start(() -> kill(node, workers, round));
      }
      RoundResult result = round.await();
      result.examples().forEach(progress);
      return result(result);
    }
  }

  private void kill(SessionQueueNode node, List<SessionBenchWorker> workers, SessionRound round) {
    int turn = 0;
    while (worksAgain(round) && pause(round)) {
      try {
        if (turn % 2 == 0) {
          workers.get(turn / 2 % workers.size()).kill();
          workersKilled.incrementAndGet();
          progress.accept(
              "%d events delivered; worker %d killed"
                  .formatted(round.check().delivered(), turn / 2 % workers.size() + 1));
        } else {
          node.killAndRestart();
          nodesKilled.incrementAndGet();
          round.progressed();
          progress.accept(
              "%d events delivered; queue node killed and started again"
                  .formatted(round.check().delivered()));
        }
      } catch (IOException e) {
        throw new MillraceException(
            ErrorCode.UNAVAILABLE, "the queue node cannot be started again", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      turn++;
    }
  }

  /**
   * Blocks until something is delivered after a kill, so that it goes on however slowly the machine
   * starts processes.
   */
  private static boolean worksAgain(SessionRound round) {
    long before = round.check().delivered();
    while (round.check().delivered() == before) {
      if (round.over() || Thread.currentThread().isInterrupted()) {
        return false;
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
    return true;
  }

  /** Whether the round goes on after the time between two kills. */
  private boolean pause(SessionRound round) {
    long begin = clock.nanoTime();
    while (clock.nanoTime() - begin < plan.killEvery().toNanos()) {
      if (round.over() || Thread.currentThread().isInterrupted()) {
        return false;
      }
      LockSupport.parkNanos(LOOK.toNanos());
    }
    return !round.over();
  }

  private Result result(RoundResult round) {
    return new Result(
        workersKilled.get(),
        nodesKilled.get(),
        round.handovers(),
        round.repeated(),
        round.stale(),
        round.unfinished(),
        round.events(),
        round.sessions(),
        round.perSecond(),
        round.lost(),
        round.orderViolations(),
        round.duplicatesSent(),
        round.duplicatesReported());
  }

  /**
   * What is done.
   *
   * @param file of events, one JSON object on each line
   * @param key JSON pointer to the key
   * @param id JSON pointer to an event's id
   * @param previous JSON pointer to the ids of events that an event comes after
   * @param killEvery time between two kills; zero for none
   * @param rate events per second; 0 for as many as possible
   * @param batch events per request
   * @param producers number of concurrent producers
   * @param workers number of workers
   * @param duplicates share of events that are sent again
   * @param shape of the queue node
   */
  public record Plan(
      Path file,
      String key,
      String id,
      String previous,
      Duration killEvery,
      int rate,
      int batch,
      int producers,
      int workers,
      double duplicates,
      ClusterShape shape) {}

  /**
   * The outcome; the components are the fields of {@code --json}.
   *
   * @param workersKilled how often a worker was stopped without a word
   * @param nodesKilled how often the queue node was killed and started again
   * @param handovers assignments after a session's first one
   * @param redelivered deliveries of what the same worker had before
   * @param stale results of workers that no longer had the session, all refused
   * @param unfinished sessions whose completion was never confirmed
   * @param events that were accepted
   * @param sessions that were sent
   * @param eventsPerSecond over the whole time
   * @param lost events accepted and never delivered
   * @param orderViolations deliveries that broke the order of a key, or came from two workers at a
   *     time
   * @param duplicatesSent events sent again
   * @param duplicatesReported those of them that the node refused or called repeated
   */
  public record Result(
      int workersKilled,
      int nodesKilled,
      long handovers,
      long redelivered,
      long stale,
      long unfinished,
      long events,
      int sessions,
      long eventsPerSecond,
      long lost,
      long orderViolations,
      long duplicatesSent,
      long duplicatesReported) {
    /** Whether nothing was lost, disordered, left or doubled in silence. */
    public boolean passed() {
      return unfinished == 0
          && lost == 0
          && orderViolations == 0
          && duplicatesSent == duplicatesReported;
    }
  }
}

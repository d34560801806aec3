package io.millrace.queuenode.session;

import io.millrace.api.Json;
import io.millrace.api.queue.QueueWeights;
import io.millrace.api.session.SessionDefinition;
import io.millrace.api.session.SessionView.SessionFigures;
import io.millrace.api.session.SessionView.SessionWorkerView;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.queuenode.session.store.SessionStore.QueueFigures;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells operators in the log about the sessions of this node: a statistics record each minute
 * (M-14), once when the cap of unassigned sessions is crossed (M-15), and once when a worker sends
 * heartbeats without getting on.
 */
public final class SessionWatch implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(SessionWatch.class);
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration RECORDED_EVERY = Duration.ofMinutes(1);

  /** Workers of a queue in a record. */
  private static final int MOST_WORKERS = 100;

  private final String node;
  private final SessionService sessions;
  private final Clock clock;
  private final Duration recordedEvery;
  private final Consumer<String> records;
  private final Loop loop;
  private final long startedAt;
  // Used only by the loop's thread.
  private final Map<String, Long> refusedBefore = new HashMap<>();
  private final Set<String> over = new HashSet<>();
  private final Map<String, Set<UUID>> stalled = new HashMap<>();
  private final QueueFailures failures = new QueueFailures(LOGGER, "watching the sessions");
  private long recordedAt;

  /** A watch that has not started, and that writes its records into the log. */
  public SessionWatch(String node, SessionService sessions, Clock clock) {
    this(
        node, sessions, clock, RECORDED_EVERY, json -> LOGGER.info("jobmanagement_stats {}", json));
  }

  SessionWatch(
      String node,
      SessionService sessions,
      Clock clock,
      Duration recordedEvery,
      Consumer<String> records) {
    this.node = node;
    this.sessions = sessions;
    this.clock = clock;
    this.recordedEvery = recordedEvery;
    this.records = records;
    this.startedAt = clock.nanoTime();
    this.recordedAt = startedAt;
    this.loop = new Loop(node + "-session-watch", EVERY, this::look);
  }

  /**
   * The statistics of one queue on one node.
   *
   * @param queue the queue
   * @param node the node
   * @param uptimeSeconds of the node
   * @param received events received since its start, refused ones included
   * @param workers employed
   * @param assigned sessions
   * @param unassigned sessions
   * @param workerStatistics of at most 100 workers
   */
  public record SessionStatistics(
      String queue,
      String node,
      long uptimeSeconds,
      long received,
      int workers,
      long assigned,
      long unassigned,
      List<WorkerStatistics> workerStatistics) {
    /**
     * The statistics of one worker.
     *
     * @param assigned sessions that it has
     * @param delivered events delivered to it in total
     */
    public record WorkerStatistics(UUID worker, String name, int assigned, long delivered) {}
  }

  /** One look. Blocks on the store. */
  void look() {
    Map<String, QueueFigures> figures = sessions.figures();
    boolean record = clock.nanoTime() - recordedAt >= recordedEvery.toNanos();
    figures.forEach(
        (queue, counted) -> {
          try {
            if (sessions.ofSessions(queue)) {
              look(queue, counted.sessions(), record);
            }
            failures.succeeded(queue);
          } catch (RuntimeException e) {
            failures.failed(queue, e);
          }
        });
    failures.retain(figures.keySet());
    refusedBefore.keySet().retainAll(figures.keySet());
    over.retainAll(figures.keySet());
    stalled.keySet().retainAll(figures.keySet());
    if (record) {
      recordedAt = clock.nanoTime();
    }
  }

  private void look(String queue, SessionFigures figures, boolean record) {
    SessionDefinition definition = sessions.rules().require(queue).sessions();
    watchCap(queue, figures, definition);
    boolean stalls = figures.stalledSeconds() > definition.silence().toMillis() / 1000.0;
    if (!stalls) {
      stalled.remove(queue);
    }
    if (stalls || (record && holdsAnything(figures))) {
      List<SessionWorkerView> workers = sessions.workers(queue);
      if (stalls) {
        watchStalls(queue, workers, definition);
      }
      if (record) {
        records.accept(Json.write(statistics(queue, figures, workers)));
      }
    }
  }

  private static boolean holdsAnything(SessionFigures figures) {
    return figures.workers() > 0
        || figures.assigned() > 0
        || figures.unassigned() > 0
        || figures.parked() > 0;
  }

  private void watchCap(String queue, SessionFigures figures, SessionDefinition definition) {
    long before = refusedBefore.getOrDefault(queue, figures.refused());
    refusedBefore.put(queue, figures.refused());
    long cap =
        Math.max(1, (long) definition.maxUnassigned() * figures.slots() / QueueWeights.TOTAL);
    // Events of full sessions are refused too, which has nothing to do with the cap.
    boolean atCap = figures.full() == 0 || figures.unassigned() >= cap;
    if (figures.refused() > before && atCap) {
      if (over.add(queue)) {
        LOGGER.warn(
            "jobmanagement_exceeded_max_jobs: {} has {} sessions of {} without a worker, of at most"
                + " {} here (sessions.maxUnassigned, by its slots); events that would open more are"
                + " refused until workers take some",
            node,
            figures.unassigned(),
            queue,
            cap);
      }
    } else if (figures.unassigned() < cap) {
      over.remove(queue);
    }
  }

  private void watchStalls(
      String queue, List<SessionWorkerView> workers, SessionDefinition definition) {
    double silence = definition.silence().toMillis() / 1000.0;
    double heartbeat = definition.heartbeat().toMillis() / 1000.0;
    Set<UUID> known = stalled.computeIfAbsent(queue, name -> new HashSet<>());
    Set<UUID> now = new HashSet<>();
    for (SessionWorkerView worker : workers) {
      if (worker.oldestUnacknowledgedSeconds() > silence && worker.silentSeconds() <= heartbeat) {
        now.add(worker.id());
        if (!known.contains(worker.id())) {
          LOGGER.warn(
              "worker {}{} of queue {} at {} is heard of, but has not acknowledged an event for"
                  + " {} s; look at it, or retire it with 'millrace session worker retire'",
              worker.id(),
              worker.name() == null ? "" : " (" + worker.name() + ")",
              queue,
              node,
              Math.round(worker.oldestUnacknowledgedSeconds()));
        }
      }
    }
    known.clear();
    known.addAll(now);
  }

  private SessionStatistics statistics(
      String queue, SessionFigures figures, List<SessionWorkerView> workers) {
    return new SessionStatistics(
        queue,
        node,
        Duration.ofNanos(clock.nanoTime() - startedAt).toSeconds(),
        sessions.received(queue),
        figures.workers(),
        figures.assigned(),
        figures.unassigned(),
        workers.stream()
            .limit(MOST_WORKERS)
            .map(
                one ->
                    new SessionStatistics.WorkerStatistics(
                        one.id(), one.name(), one.sessions(), one.reported()))
            .toList());
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }
}

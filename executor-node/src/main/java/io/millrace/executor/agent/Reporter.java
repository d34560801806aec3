package io.millrace.executor.agent;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.AttemptId;
import io.millrace.api.node.AttemptReport;
import io.millrace.api.node.AttemptReport.ReportRequest;
import io.millrace.executor.agent.Backoff.OutageLog;
import io.millrace.executor.agent.Reporter.PendingReports.PendingReport;
import io.millrace.executor.run.CompletedRun;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.AdaptiveDelay;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports starts and ends of attempts to the central managers, in batches and until they are
 * acknowledged: until then a report is kept, and an end also on disk (M-11).
 *
 * <p>Batches are sent one after the other, so that they become larger under load. Starts wait
 * briefly for the ends of short attempts; ends do not wait. Thread-safe.
 */
final class Reporter implements Service {
  private static final Logger LOGGER = LoggerFactory.getLogger(Reporter.class);
  private static final int LARGEST_BATCH = 1_000;
  // A job that ends sooner is reported once, which halves the cost of short jobs.
  private static final Duration STARTS_WAIT = Duration.ofMillis(50);
  private static final Duration LONGEST_REST = Duration.ofMillis(20);
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final Set<ErrorCode> UNREADABLE =
      Set.of(ErrorCode.INVALID_REQUEST, ErrorCode.MALFORMED_BODY, ErrorCode.BODY_TOO_LARGE);

  private final UUID node;
  private final CentralClient central;
  private final Clock clock;
  private final Settlement settlement;
  private final Runnable unknownNode;
  private final PendingReports pending = new PendingReports();
  private final Waiter answered = new Waiter();
  private final Loop loop;
  // Used only by the loop's thread.
  private final Waiter pause = new Waiter();
  private final Waiter endCame = new Waiter();
  private final AdaptiveDelay rest;
  private final Backoff backoff = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
  private final OutageLog outage = new OutageLog(LOGGER, "reporting attempts");
  private int limit = LARGEST_BATCH;

  /**
   * A reporter, which keeps reports until it is started.
   *
   * @param settlement called with the answers
   * @param unknownNode called when the node must register again
   */
  Reporter(
      ExecutionAgentSettings settings,
      CentralClient central,
      Clock clock,
      Settlement settlement,
      Runnable unknownNode) {
    this.node = settings.id();
    this.central = central;
    this.clock = clock;
    this.settlement = settlement;
    this.unknownNode = unknownNode;
    this.rest = new AdaptiveDelay(clock, LONGEST_REST);
    this.loop = new Loop("reporter-" + settings.name(), INTERVAL, this::sendAll);
  }

  @Override
  public void start() {
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  void started(AttemptId attempt, Instant startedAt) {
    add(new PendingReport.Started(attempt, startedAt));
  }

  void ended(CompletedRun result) {
    add(new PendingReport.Ended(result));
    endCame.wake();
  }

  /** Removes the pending report of an attempt. */
  void withdraw(AttemptId attempt) {
    pending.withdraw(attempt);
  }

  /** Waits until all reports are acknowledged, up to the given time. */
  void flush(Duration timeout) throws InterruptedException {
    long begin = clock.nanoTime();
    Duration left = timeout;
    while (!pending.isEmpty() && left.compareTo(Duration.ZERO) > 0) {
      answered.await(left);
      left = timeout.minusNanos(clock.nanoTime() - begin);
    }
  }

  private void add(PendingReport report) {
    pending.add(report);
    loop.wake();
  }

  private void sendAll() throws InterruptedException {
    List<PendingReport> batch = next();
    while (!batch.isEmpty()) {
      try {
        send(batch);
        rest.after();
        backoff.reset();
        outage.succeeded();
        limit = LARGEST_BATCH;
      } catch (MillraceException e) {
        failed(batch, e);
        pause.await(backoff.next());
      }
      batch = next();
    }
  }

  private List<PendingReport> next() throws InterruptedException {
    long begin = clock.nanoTime();
    Duration left = STARTS_WAIT;
    // A wake-up may be due to an end that has been sent since.
    while (pending.onlyStarts() && left.compareTo(Duration.ZERO) > 0) {
      endCame.await(left);
      left = STARTS_WAIT.minusNanos(clock.nanoTime() - begin);
    }
    if (!pending.isEmpty()) {
      rest.before();
    }
    return pending.first(limit);
  }

  private void send(List<PendingReport> batch) {
    Instant now = clock.now();
    List<AttemptReport> reports = batch.stream().map(report -> report.at(now)).toList();
    Set<AttemptId> refused =
        new HashSet<>(central.report(node, new ReportRequest(reports)).refused());
    for (PendingReport report : batch) {
      pending.remove(report);
      if (refused.contains(report.attempt())) {
        settlement.refused(report.attempt());
      } else if (report instanceof PendingReport.Ended ended) {
        settlement.recorded(ended.result());
      }
    }
    answered.wake();
  }

  private void failed(List<PendingReport> batch, MillraceException failure) {
    outage.failed(failure);
    if (failure.code() == ErrorCode.UNKNOWN_NODE) {
      unknownNode.run();
    } else if (UNREADABLE.contains(failure.code())) {
      // A report that a server cannot process must not block the others.
      limit = Math.max(1, batch.size() / 2);
      if (batch.size() == 1) {
        LOGGER.error("the report of attempt {} is not accepted", batch.get(0).attempt(), failure);
        pending.putLast(batch.get(0));
      }
    }
  }

  /** Receives a central manager's answers to reports, on the reporter's thread. */
  interface Settlement {
    /** The end is recorded. */
    void recorded(CompletedRun result);

    /** The attempt is no longer current; nothing was recorded. */
    void refused(AttemptId attempt);
  }

  /**
   * Reports in the order of their arrival, one per attempt: an end replaces a start that was not
   * sent yet. Thread-safe.
   */
  static final class PendingReports {
    // Guarded by this.
    private final Map<AttemptId, PendingReport> waiting = new LinkedHashMap<>();

    synchronized void add(PendingReport report) {
      waiting.put(report.attempt(), report);
    }

    synchronized boolean isEmpty() {
      return waiting.isEmpty();
    }

    /** Whether there are only reports of starts. */
    synchronized boolean onlyStarts() {
      return !waiting.isEmpty()
          && waiting.values().stream().allMatch(PendingReport.Started.class::isInstance);
    }

    /** The first reports; they stay until they are removed. */
    synchronized List<PendingReport> first(int limit) {
      return waiting.values().stream().limit(limit).toList();
    }

    /** Removes a report, unless it was replaced meanwhile. */
    synchronized void remove(PendingReport report) {
      waiting.remove(report.attempt(), report);
    }

    /** Removes the report of an attempt. */
    synchronized void withdraw(AttemptId attempt) {
      waiting.remove(attempt);
    }

    /** Moves the report to the end. */
    synchronized void putLast(PendingReport report) {
      if (waiting.remove(report.attempt(), report)) {
        waiting.put(report.attempt(), report);
      }
    }

    /**
     * A report that no central manager has acknowledged yet; its times are computed when it is
     * sent.
     */
    sealed interface PendingReport {
      AttemptId attempt();

      AttemptReport at(Instant now);

      /** A start. */
      record Started(AttemptId attempt, Instant startedAt) implements PendingReport {
        @Override
        public AttemptReport at(Instant now) {
          return CompletedRun.started(attempt, startedAt, now);
        }
      }

      /** An end. */
      record Ended(CompletedRun result) implements PendingReport {
        @Override
        public AttemptId attempt() {
          return result.attempt();
        }

        @Override
        public AttemptReport at(Instant now) {
          return result.report(now);
        }
      }
    }
  }
}

package io.millrace.executor.agent;

import io.millrace.api.job.AttemptId;
import io.millrace.api.node.AttemptReport;
import io.millrace.executor.run.CompletedRun;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports in the order in which they came, one for each attempt: an end takes the place of a start
 * that was not sent yet. Thread-safe.
 */
final class PendingReports {
  // Guarded by this.
  private final Map<AttemptId, PendingReport> waiting = new LinkedHashMap<>();

  synchronized void add(PendingReport report) {
    waiting.put(report.attempt(), report);
  }

  synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Whether there are reports, but none of an end. */
  synchronized boolean onlyStarts() {
    return !waiting.isEmpty()
        && waiting.values().stream().allMatch(PendingReport.Started.class::isInstance);
  }

  /** The first reports; they stay until they are removed. */
  synchronized List<PendingReport> first(int limit) {
    return waiting.values().stream().limit(limit).toList();
  }

  /** Removes a report, but not one that has taken its place meanwhile. */
  synchronized void remove(PendingReport report) {
    waiting.remove(report.attempt(), report);
  }

  /** Removes whatever waits for an attempt. */
  synchronized void withdraw(AttemptId attempt) {
    waiting.remove(attempt);
  }

  /** Lets the others go first. */
  synchronized void putLast(PendingReport report) {
    if (waiting.remove(report.attempt(), report)) {
      waiting.put(report.attempt(), report);
    }
  }

  /** A report that no central manager has answered yet; dated when it is sent. */
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

package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Outcome;
import io.millrace.api.job.Usage;
import java.util.List;

/**
 * What became of an attempt; the first report of an end counts.
 *
 * @param attempt the attempt
 * @param ended false for a start
 * @param outcome null for a start
 * @param exitCode null if none
 * @param signal null if none
 * @param reason for people; null if plain
 * @param stderrTail last words, at most 4,000 characters; null if none
 * @param events events taken; 0 without input
 * @param runMillis time from start to end; 0 for a start
 * @param startedAgoMillis how long ago it started when the report was made, so that the database's
 *     clock dates it
 * @param endedAgoMillis how long ago it ended when the report was made; 0 for a start
 * @param usage what its processes used; null for a start or when unknown
 * @param event id of the one event that a worker had alone; null if it had several or none
 */
public record AttemptReport(
    AttemptId attempt,
    boolean ended,
    Outcome outcome,
    Integer exitCode,
    Integer signal,
    String reason,
    String stderrTail,
    int events,
    long runMillis,
    long startedAgoMillis,
    long endedAgoMillis,
    Usage usage,
    String event) {
  /** Of an attempt that had no event alone. */
  public AttemptReport(
      AttemptId attempt,
      boolean ended,
      Outcome outcome,
      Integer exitCode,
      Integer signal,
      String reason,
      String stderrTail,
      int events,
      long runMillis,
      long startedAgoMillis,
      long endedAgoMillis,
      Usage usage) {
    this(
        attempt,
        ended,
        outcome,
        exitCode,
        signal,
        reason,
        stderrTail,
        events,
        runMillis,
        startedAgoMillis,
        endedAgoMillis,
        usage,
        null);
  }

  /**
   * Reports in the order they happened.
   *
   * @param reports at most 1,000
   */
  public record ReportRequest(List<AttemptReport> reports) {}

  /**
   * What became of the reports.
   *
   * @param refused not current any more: nothing was recorded for them
   */
  public record ReportAnswer(List<AttemptId> refused) {}
}

package io.millrace.api.node;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.ReportedProgress;
import java.util.List;

/**
 * A node's report of an attempt's start or end; the first report of an end counts.
 *
 * @param attempt the attempt
 * @param ended false for a start
 * @param result how it ended, its fields among those of the report; {@link AttemptResult#NONE} for
 *     a start
 * @param startedAgoMillis how long ago it started when the report was made, so that the database's
 *     clock dates it
 * @param endedAgoMillis how long ago it ended when the report was made; 0 for a start
 * @param progress what its program reported last; null for nothing, and for a start
 */
public record AttemptReport(
    AttemptId attempt,
    boolean ended,
    @JsonUnwrapped AttemptResult result,
    long startedAgoMillis,
    long endedAgoMillis,
    ReportedProgress progress) {
  public AttemptReport {
    if (attempt == null) {
      throw new IllegalArgumentException("attempt is missing");
    }
    result = result == null ? AttemptResult.NONE : result;
    if (ended && result.outcome() == null) {
      throw new IllegalArgumentException("attempt " + attempt + " has ended without an outcome");
    }
  }

  /** The report of a start. */
  public static AttemptReport started(AttemptId attempt, long startedAgoMillis) {
    return new AttemptReport(attempt, false, AttemptResult.NONE, startedAgoMillis, 0, null);
  }

  /** The report of an end. */
  public static AttemptReport ended(
      AttemptId attempt, AttemptResult result, long startedAgoMillis, long endedAgoMillis) {
    return new AttemptReport(attempt, true, result, startedAgoMillis, endedAgoMillis, null);
  }

  /** The same with what the program reported last; null for nothing. */
  public AttemptReport withProgress(ReportedProgress last) {
    return new AttemptReport(attempt, ended, result, startedAgoMillis, endedAgoMillis, last);
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
   * @param refused attempts that are no longer current: nothing was recorded for them
   */
  public record ReportAnswer(List<AttemptId> refused) {}
}

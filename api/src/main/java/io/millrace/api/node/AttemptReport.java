package io.millrace.api.node;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.AttemptResult;
import io.millrace.api.job.ReportedProgress;
import java.util.List;
import java.util.Map;

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
 * @param outputs values that a step of a workflow gave to other steps; null for none
 */
public record AttemptReport(
    AttemptId attempt,
    boolean ended,
    @JsonUnwrapped AttemptResult result,
    long startedAgoMillis,
    long endedAgoMillis,
    ReportedProgress progress,
    Map<String, String> outputs) {
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
    return new AttemptReport(attempt, false, AttemptResult.NONE, startedAgoMillis, 0, null, null);
  }

  /** The report of an end. */
  public static AttemptReport ended(
      AttemptId attempt, AttemptResult result, long startedAgoMillis, long endedAgoMillis) {
    return new AttemptReport(attempt, true, result, startedAgoMillis, endedAgoMillis, null, null);
  }

  /** The same with what the program reported last; null for nothing. */
  public AttemptReport withProgress(ReportedProgress last) {
    return new AttemptReport(
        attempt, ended, result, startedAgoMillis, endedAgoMillis, last, outputs);
  }

  /** The same with values for other steps; null for none. */
  public AttemptReport withOutputs(Map<String, String> values) {
    return new AttemptReport(
        attempt, ended, result, startedAgoMillis, endedAgoMillis, progress, values);
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

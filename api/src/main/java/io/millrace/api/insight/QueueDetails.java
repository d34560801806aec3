package io.millrace.api.insight;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Everything about one queue.
 *
 * @param queue as in lists
 * @param definition in force
 * @param segments as last reported
 * @param managers its queue managers
 * @param workers workers waiting and running, at most 50
 * @param lastFailure the last failed worker run; null for none
 */
public record QueueDetails(
    QueueView queue,
    QueueDefinition definition,
    List<SegmentFigures> segments,
    List<JobView> managers,
    List<JobView> workers,
    FailedRun lastFailure) {

  /**
   * A failed worker run with the end of its error output.
   *
   * @param attempt which
   * @param node where it ran it ran
   * @param at when it ended
   * @param exitCode null if none
   * @param signal null if none
   * @param reason human-readable
   * @param stderrTail the end of its error output; null for none
   */
  public record FailedRun(
      AttemptId attempt,
      String node,
      Instant at,
      Integer exitCode,
      Integer signal,
      String reason,
      String stderrTail) {
    private static final int LONGEST = 300;

    /** How it ended and the last line it wrote, in one line. */
    public String words() {
      String end =
          signal != null
              ? "signal " + signal
              : exitCode != null ? "exit code " + exitCode : reason == null ? "failed" : reason;
      return "worker " + attempt + " on " + node + ", " + end + lastLine();
    }

    private String lastLine() {
      if (stderrTail == null || stderrTail.isBlank()) {
        return "";
      }
      String text = stderrTail.strip();
      String line = text.substring(text.lastIndexOf('\n') + 1).strip();
      return ": " + (line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…");
    }
  }

  /**
   * One point of a queue's history.
   *
   * @param at when
   * @param waiting events waiting then
   * @param eventRate events stored per second
   * @param doneRate events done per second
   * @param workerRate workers started per second
   * @param workersRunning workers that ran then
   * @param oldestSeconds age of the oldest waiting event
   * @param weights points by queue node then
   */
  public record QueueSample(
      Instant at,
      long waiting,
      double eventRate,
      double doneRate,
      double workerRate,
      int workersRunning,
      double oldestSeconds,
      Map<String, Integer> weights) {}
}

package io.millrace.api.insight;

import io.millrace.api.definition.DeletionView;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobView;
import io.millrace.api.queue.QueueDefinition;
import io.millrace.api.queue.SegmentFigures;
import java.time.Instant;
import java.util.List;

/**
 * Everything about one queue.
 *
 * @param queue as in lists
 * @param definition in force
 * @param segments as last reported
 * @param managers its queue managers
 * @param workers workers waiting and running, at most 50
 * @param lastFailure the last failed worker run; null for none
 * @param deletion its deletion in progress; null for none
 */
public record QueueDetails(
    QueueView queue,
    QueueDefinition definition,
    List<SegmentFigures> segments,
    List<JobView> managers,
    List<JobView> workers,
    FailedRun lastFailure,
    DeletionView deletion) {

  /** A queue that is not being deleted. */
  public QueueDetails(
      QueueView queue,
      QueueDefinition definition,
      List<SegmentFigures> segments,
      List<JobView> managers,
      List<JobView> workers,
      FailedRun lastFailure) {
    this(queue, definition, segments, managers, workers, lastFailure, null);
  }

  /** The same queue with its deletion. */
  public QueueDetails with(DeletionView inProgress) {
    return new QueueDetails(
        queue, definition, segments, managers, workers, lastFailure, inProgress);
  }

  /**
   * A failed run with the end of its error output.
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
      return "worker " + attempt + " on " + node + ", " + ending();
    }

    /** The same without the attempt, such as {@code exit code 127: sh: mail: not found}. */
    public String ending() {
      String end =
          signal != null
              ? "signal " + signal
              : exitCode != null ? "exit code " + exitCode : reason == null ? "failed" : reason;
      return end + lastLine();
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
}

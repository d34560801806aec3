package io.millrace.api.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import io.millrace.api.job.ReportedProgress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The answer to a poll.
 *
 * @param start attempts to start; offered again until the node holds them
 * @param stop attempts to stop
 */
public record PollAnswer(List<Assignment> start, List<AttemptId> stop) {

  /**
   * Asks for work; also a heartbeat.
   *
   * @param held attempts that the node has accepted and whose end it has not reported
   * @param patience how long to wait for work, at most 20 s
   * @param accepting false while the node drains or its disk is full
   * @param clock the node's clock at the request, so that a clock step is noticed; null if not
   *     stated
   * @param progress what programs have reported since the last poll, at most {@value
   *     #MOST_PROGRESS}; null for nothing
   */
  public record PollRequest(
      List<AttemptId> held,
      Duration patience,
      boolean accepting,
      Instant clock,
      List<ProgressReport> progress) {
    /** Most reports of progress in one poll. */
    public static final int MOST_PROGRESS = 100;

    /** Without any progress. */
    public PollRequest(List<AttemptId> held, Duration patience, boolean accepting, Instant clock) {
      this(held, patience, accepting, clock, null);
    }
  }

  /**
   * What the program of an attempt has reported.
   *
   * @param attempt the attempt
   * @param progress the newest report of it
   */
  public record ProgressReport(AttemptId attempt, ReportedProgress progress) {}

  /**
   * One attempt to start.
   *
   * @param attempt its id: the fencing token
   * @param kind what created the job
   * @param spec what to run
   * @param queueNode address of the queue node with the segment of the spec's input; null without
   *     input, and until the queue node has reported after a restoration
   * @param workerToken a token that is valid only for this attempt, and only for the queue of its
   *     input or for chunks of the task's run that it works for; null for other attempts
   * @param secret proves that a request of a built-in program, or of a worker that renews its
   *     token, comes from this attempt; null for others
   */
  public record Assignment(
      AttemptId attempt,
      JobKind kind,
      JobSpec spec,
      URI queueNode,
      String workerToken,
      String secret) {
    /**
     * The address of the queue node with the segment.
     *
     * @throws MillraceException UNREACHABLE if it is not known
     */
    public URI segmentAddress() {
      if (queueNode == null) {
        throw new MillraceException(
            ErrorCode.UNREACHABLE,
            "the central managers have no address of queue node %s; start it, or wait until it reports"
                .formatted(spec.input().node()));
      }
      return queueNode;
    }

    /** Does not show the token and the secret. */
    @Override
    public String toString() {
      return "Assignment[attempt=%s, kind=%s, spec=%s, queueNode=%s]"
          .formatted(attempt, kind, spec, queueNode);
    }
  }
}

package io.millrace.api.node;

import io.millrace.api.job.AttemptId;
import io.millrace.api.job.JobKind;
import io.millrace.api.job.JobSpec;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What to do now.
 *
 * @param start attempts to start; offered again until the node holds them
 * @param stop attempts to stop
 */
public record PollAnswer(List<Assignment> start, List<AttemptId> stop) {

  /**
   * Asks for work, and is a heartbeat.
   *
   * @param held attempts that the node has accepted and not reported as ended
   * @param patience how long to wait for something to do; at most 20 s
   * @param accepting false while the node drains or its disk is full
   * @param clock the node's clock when it asked, so that a step of it is seen; null from before it
   *     was said
   */
  public record PollRequest(
      List<AttemptId> held, Duration patience, boolean accepting, Instant clock) {}

  /**
   * One attempt to start.
   *
   * @param attempt its id: the fencing token
   * @param kind who wanted the job
   * @param spec what to run
   * @param queueNode where the segment of the spec's input answers; null without input
   * @param workerToken a token good for that queue and this attempt only; null without input
   */
  public record Assignment(
      AttemptId attempt, JobKind kind, JobSpec spec, URI queueNode, String workerToken) {}
}

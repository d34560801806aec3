package io.millrace.api.pacing;

import io.millrace.api.Problem;
import io.millrace.api.job.AttemptId;

/**
 * What one queue manager gets of a round.
 *
 * @param queue the queue
 * @param node the queue node's name
 * @param attempt who had decided; null for an answer to a question
 * @param view what it asked for; null when it asked for nothing, or for what does not exist
 * @param problem why its decision was refused, or why there is no view; null for none
 */
public record PacingAnswer(
    String queue, String node, AttemptId attempt, PacingView view, Problem problem) {
  /** Whether it is about that very decision. */
  public boolean concerns(PacedDecision one) {
    return queue.equals(one.queue())
        && node.equals(one.node())
        && one.decision().attempt().equals(attempt);
  }
}

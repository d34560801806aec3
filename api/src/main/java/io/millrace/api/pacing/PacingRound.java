package io.millrace.api.pacing;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Problem;
import io.millrace.api.job.AttemptId;
import java.util.List;
import java.util.Map;

/**
 * What all queue managers of one execution node report and request at one tick.
 *
 * @param decisions recorded first, each separately: a refused one does not affect the others; null
 *     for none
 * @param views segments whose views are requested; null for none
 */
public record PacingRound(List<PacedDecision> decisions, List<PacedSegment> views) {
  /** The most decisions, and the most views, of one round. */
  public static final int MAX = 5_000;

  public PacingRound {
    decisions = decisions == null ? List.of() : List.copyOf(decisions);
    views = views == null ? List.of() : List.copyOf(views);
  }

  /**
   * The answer to a round.
   *
   * @param refused decisions that were not recorded, with the reason
   * @param views the requested views, in the order of the request
   */
  public record PacingRoundAnswer(List<PacingAnswer> refused, List<PacingAnswer> views) {
    public PacingRoundAnswer {
      refused = refused == null ? List.of() : List.copyOf(refused);
      views = views == null ? List.of() : List.copyOf(views);
    }
  }

  /**
   * One queue manager's part of a round's answer.
   *
   * @param queue the queue
   * @param node the queue node's name
   * @param attempt the deciding attempt; null for a requested view
   * @param view the requested view; null if none was requested or it does not exist
   * @param problem why its decision was refused, or why there is no view; null for none
   */
  public record PacingAnswer(
      String queue, String node, AttemptId attempt, PacingView view, Problem problem) {
    /** Whether it answers the given decision. */
    public boolean concerns(PacedDecision one) {
      return queue.equals(one.queue())
          && node.equals(one.node())
          && one.decision().attempt().equals(attempt);
    }
  }

  /**
   * A segment whose view is requested.
   *
   * @param queue the queue
   * @param node the queue node's name
   */
  public record PacedSegment(String queue, String node) {
    /** Used as the node's name for a queue whose events are stored outside of Millrace. */
    public static final String EXTERNAL = "external";
  }

  /**
   * What one segment's queue manager decided.
   *
   * @param queue the queue
   * @param node the queue node's name
   * @param decision the decision and its reason
   * @param secret of the deciding attempt, which proves that it decided
   */
  public record PacedDecision(String queue, String node, PacingRecord decision, String secret) {
    public PacedDecision {
      if (queue == null || node == null || decision == null || decision.attempt() == null) {
        throw new IllegalArgumentException(
            "a decision names its queue, its node and the attempt that decided");
      }
    }

    /** Does not show the secret. */
    @Override
    public String toString() {
      return "PacedDecision[queue=%s, node=%s, decision=%s]".formatted(queue, node, decision);
    }
  }

  /**
   * One tick's decision, with what it saw; recorded and carried out in one transaction if the
   * attempt is current.
   *
   * @param attempt the queue manager's attempt: its fencing token
   * @param start workers to submit now
   * @param policy the policy that decided
   * @param gate what limited it; NONE for nothing
   * @param reason human-readable, with the figures
   * @param inputs the figures it saw, by name
   * @param state the policy's state for the next tick
   * @param leave whether one of the segment's session workers is to be asked to end
   */
  public record PacingRecord(
      AttemptId attempt,
      int start,
      String policy,
      String gate,
      String reason,
      Map<String, Double> inputs,
      JsonNode state,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean leave) {
    /** A decision after which no worker is asked to end. */
    public PacingRecord(
        AttemptId attempt,
        int start,
        String policy,
        String gate,
        String reason,
        Map<String, Double> inputs,
        JsonNode state) {
      this(attempt, start, policy, gate, reason, inputs, state, false);
    }
  }
}

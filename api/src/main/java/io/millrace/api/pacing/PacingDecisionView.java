package io.millrace.api.pacing;

import io.millrace.api.job.AttemptId;
import java.time.Instant;
import java.util.Map;

/**
 * A recorded decision as shown.
 *
 * @param number later decisions have higher ones; 0 before it is recorded
 * @param at by the database's clock
 * @param node the segment's queue node
 * @param attempt who decided
 * @param start workers submitted
 * @param policy the policy
 * @param gate what limited it
 * @param reason for people
 * @param inputs the figures seen
 */
public record PacingDecisionView(
    long number,
    Instant at,
    String node,
    AttemptId attempt,
    int start,
    String policy,
    String gate,
    String reason,
    Map<String, Double> inputs) {}

package io.millrace.api.pacing;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.job.AttemptId;
import java.util.Map;

/**
 * One tick's decision, with what it saw; recorded and carried out in one transaction if the attempt
 * is current.
 *
 * @param attempt the queue manager's attempt: its fencing token
 * @param start workers to submit now
 * @param policy the policy that decided
 * @param gate what limited it; NONE for nothing
 * @param reason for people, with the figures
 * @param inputs the figures it saw, by name
 * @param state what the policy carries to the next tick
 */
public record PacingRecord(
    AttemptId attempt,
    int start,
    String policy,
    String gate,
    String reason,
    Map<String, Double> inputs,
    JsonNode state) {}

package io.millrace.api.weight;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.weight.MoveRequest.WeightMove;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A recorded decision about weight.
 *
 * @param at by the database's clock
 * @param id of the request
 * @param node the node that decided; a central manager for healing and first points
 * @param kind why
 * @param policy the policy
 * @param moves what moved; the first points of a queue come from no node
 * @param reason human-readable
 * @param inputs the figures it was based on
 */
public record BalancingDecisionView(
    Instant at,
    UUID id,
    String node,
    BalancingKind kind,
    String policy,
    List<WeightMove> moves,
    String reason,
    JsonNode inputs) {}

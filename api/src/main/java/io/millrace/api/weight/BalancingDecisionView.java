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
 * @param node who decided; for healing and first points a central manager
 * @param kind why
 * @param policy by which rule
 * @param moves what moved; several points may have come from nowhere when a queue got its first
 *     ones
 * @param reason for people
 * @param inputs what the decision was made of
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

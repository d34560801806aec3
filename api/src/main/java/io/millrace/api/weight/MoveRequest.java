package io.millrace.api.weight;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.UUID;

/**
 * Asks a central manager to change weight rows as a node has decided: all moves, or none.
 *
 * @param id made by the node; asked again under the same id, it is carried out once
 * @param node who decided
 * @param kind why
 * @param policy by which rule
 * @param moves none for a shortage, which is only recorded
 * @param reason for people
 * @param inputs what the decision was made of
 */
public record MoveRequest(
    UUID id,
    String node,
    BalancingKind kind,
    String policy,
    List<WeightMove> moves,
    String reason,
    JsonNode inputs) {
  public MoveRequest {
    moves = moves == null ? List.of() : List.copyOf(moves);
  }
}

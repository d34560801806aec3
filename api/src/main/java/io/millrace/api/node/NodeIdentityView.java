package io.millrace.api.node;

import java.time.Instant;
import java.util.UUID;

/**
 * The identity of a node that has joined.
 *
 * @param name unique in the cluster
 * @param role queue-node, load-balancer or execution-node
 * @param id never changes
 * @param madeBy who created the token with which it joined
 * @param joinedAt when, by the database's clock
 * @param withdrawnBy who withdrew it; null if it is valid or that was not recorded
 * @param withdrawnAt since when its calls are refused, by the database's clock; null if it is valid
 */
public record NodeIdentityView(
    String name,
    String role,
    UUID id,
    String madeBy,
    Instant joinedAt,
    String withdrawnBy,
    Instant withdrawnAt) {}

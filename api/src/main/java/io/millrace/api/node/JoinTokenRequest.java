package io.millrace.api.node;

import java.time.Duration;

/**
 * Asks for a one-use token with which one new machine may join.
 *
 * @param role execution-node, queue-node or load-balancer
 * @param validFor how long it may be used; null for an hour
 */
public record JoinTokenRequest(String role, Duration validFor) {}

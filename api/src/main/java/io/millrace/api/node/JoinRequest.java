package io.millrace.api.node;

/**
 * A new machine's request for a token of its own, made with a one-use token.
 *
 * @param name the name it wants, unique in the cluster
 */
public record JoinRequest(String name) {}

package io.millrace.api.node;

/**
 * What an execution node is to accept again although it was denied to it.
 *
 * @param definition as {@link ExecutionNodeView.DenylistEntry} names it: a definition, or a user
 */
public record NodeAllowance(String definition) {}

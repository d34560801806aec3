package io.millrace.manager.placement;

import java.util.UUID;

/**
 * One job for one node.
 *
 * @param job the job's id
 * @param node the node's id
 * @param nodeName the node's name
 */
public record Placement(long job, UUID node, String nodeName) {}

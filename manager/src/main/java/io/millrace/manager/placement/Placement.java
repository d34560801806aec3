package io.millrace.manager.placement;

import io.millrace.api.Pure;
import java.util.UUID;

/**
 * One job for one node.
 *
 * @param job the job
 * @param shape what it books
 * @param node the node's id
 * @param nodeName the node's name
 */
@Pure
public record Placement(ReadyJob job, Shape shape, UUID node, String nodeName) {}

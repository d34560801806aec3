package io.millrace.loadbalancer.forward;

import java.net.URI;

/**
 * A queue node chosen for a batch.
 *
 * @param node its name
 * @param address where its API answers
 */
public record ForwardTarget(String node, URI address) {}

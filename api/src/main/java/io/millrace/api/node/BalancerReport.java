package io.millrace.api.node;

import java.net.URI;
import java.util.UUID;

/**
 * What a load balancer says of itself to a central manager, so that clients find it.
 *
 * @param id its own id
 * @param name its name
 * @param address where producers send events
 * @param accepted events passed on since its start
 * @param refused requests refused since its start
 */
public record BalancerReport(UUID id, String name, URI address, long accepted, long refused) {}

package io.millrace.api.node;

import java.net.URI;
import java.util.UUID;

/**
 * A load balancer's report to a central manager, so that clients find it.
 *
 * @param id its id
 * @param name its name
 * @param address where producers send events
 * @param accepted events forwarded since its start
 * @param refused requests refused since its start
 */
public record BalancerReport(UUID id, String name, URI address, long accepted, long refused) {
  /**
   * Where to send events.
   *
   * @param name name of the load balancer
   * @param address its address
   */
  public record BalancerAddress(String name, URI address) {}
}

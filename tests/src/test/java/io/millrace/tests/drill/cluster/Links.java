package io.millrace.tests.drill.cluster;

import io.millrace.tests.drill.network.Link;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Every link of a drill's cluster by its name, {@code FROM>TO}: no process reaches another but over
 * a link, and neither do the drill's producers and consumers.
 */
public final class Links implements AutoCloseable {
  private final Map<String, Link> byName = new LinkedHashMap<>();

  /**
   * Links between processes that listen, or will listen, on those ports.
   *
   * @param http where each process serves, by name
   * @param members where the cluster view of each follower listens, by name
   */
  public Links(Shape shape, Map<String, Integer> http, Map<String, Integer> members, Ports ports) {
    for (String central : shape.centralNames()) {
      shape.followerNames().forEach(name -> add(name + ">" + central, http.get(central), ports));
      shape.database().ifPresent(server -> add(central + ">database", server.address(), ports));
    }
    for (String node : shape.queueNodeNames()) {
      // A node has one address for all who look it up: balancers, neighbours, central managers.
      add("cluster>" + node, http.get(node), ports);
      add("consumers>" + node, http.get(node), ports);
    }
    for (String follower : shape.memberNames()) {
      add("members>" + follower, members.get(follower), ports);
    }
    for (String node : shape.executionNodeNames()) {
      add("readers>" + node, http.get(node), ports);
    }
    for (String balancer : shape.balancerNames()) {
      add("producers>" + balancer, http.get(balancer), ports);
    }
  }

  private void add(String name, int target, Ports ports) {
    add(name, new InetSocketAddress(InetAddress.getLoopbackAddress(), target), ports);
  }

  private void add(String name, InetSocketAddress target, Ports ports) {
    byName.put(name, new Link(name, ports.free(), target));
  }

  public Link get(String name) {
    return byName.get(name);
  }

  public List<String> names() {
    return List.copyOf(byName.keySet());
  }

  /** The links that lead to a process. */
  public List<Link> to(String process) {
    return byName.values().stream().filter(link -> link.name().endsWith(">" + process)).toList();
  }

  /** The links over which the central managers reach their database. */
  public List<Link> toDatabase() {
    return to("database");
  }

  public void heal() {
    byName.values().forEach(Link::heal);
  }

  @Override
  public void close() {
    byName.values().forEach(Link::close);
  }
}

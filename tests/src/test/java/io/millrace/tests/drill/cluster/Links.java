package io.millrace.tests.drill.cluster;

import io.millrace.tests.drill.network.Link;
import io.millrace.tests.drill.network.Traffic;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All links of a drill's cluster by name, {@code FROM>TO}: processes reach one another only over
 * links, and so do the drill's producers and consumers.
 */
public final class Links implements AutoCloseable {
  // Statements that place, start and end jobs, launch tasks and change weights.
  private static final List<String> CHANGES =
      List.of(
          "insert into attempt",
          "update attempt ",
          "insert into job",
          "update job ",
          "insert into task_run",
          "update task_run ",
          "queue_weight ");
  private static final List<String> EVENTS = List.of("post /v1/queues/");
  private static final List<String> REPORTS = List.of("post /v1/", "put /v1/");

  private final Map<String, Link> byName = new LinkedHashMap<>();

  /**
   * Creates links between processes that listen, or will listen, on these ports.
   *
   * @param http the HTTP port of each process, by name
   * @param members the port of each follower's cluster view, by name
   */
  public Links(Shape shape, Map<String, Integer> http, Map<String, Integer> members, Ports ports) {
    for (String central : shape.centralNames()) {
      shape
          .followerNames()
          .forEach(name -> add(name + ">" + central, http.get(central), ports, REPORTS));
      shape
          .database()
          .ifPresent(server -> add(central + ">database", server.address(), ports, CHANGES));
    }
    for (String node : shape.queueNodeNames()) {
      // A node has one address for all its clients: load balancers, other nodes, central managers.
      add("cluster>" + node, http.get(node), ports, EVENTS);
      add("consumers>" + node, http.get(node), ports, EVENTS);
    }
    for (String follower : shape.memberNames()) {
      add("members>" + follower, members.get(follower), ports, List.of());
    }
    for (String node : shape.executionNodeNames()) {
      add("readers>" + node, http.get(node), ports, List.of());
    }
    for (String balancer : shape.balancerNames()) {
      add("producers>" + balancer, http.get(balancer), ports, EVENTS);
    }
  }

  private void add(String name, int target, Ports ports, List<String> work) {
    add(name, new InetSocketAddress(InetAddress.getLoopbackAddress(), target), ports, work);
  }

  private void add(String name, InetSocketAddress target, Ports ports, List<String> work) {
    byName.put(name, new Link(name, ports.free(), target, new Traffic(work)));
  }

  public Link get(String name) {
    return byName.get(name);
  }

  public List<String> names() {
    return List.copyOf(byName.keySet());
  }

  /** The links to a process. */
  public List<Link> to(String process) {
    return byName.values().stream().filter(link -> link.name().endsWith(">" + process)).toList();
  }

  /** The links over which a process reaches the central managers. */
  public List<Link> toCentrals(String follower) {
    return byName.values().stream()
        .filter(link -> link.name().startsWith(follower + ">c"))
        .toList();
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

package io.millrace.bench.queue;

import io.millrace.bench.process.BenchServers;
import io.millrace.bench.process.RoleProcess;
import io.millrace.platform.clock.Clock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Queue nodes in separate processes with one queue that has no workers. Closing it stops the nodes
 * and deletes their directory.
 */
public final class QueueNodeCluster implements AutoCloseable {
  static final String QUEUE = "bench";

  private final BenchServers servers;
  private final List<RoleProcess> nodes = new ArrayList<>();

  private QueueNodeCluster(BenchServers servers) {
    this.servers = servers;
  }

  static QueueNodeCluster start(ClusterShape shape, Clock clock)
      throws IOException, InterruptedException {
    QueueNodeCluster cluster = new QueueNodeCluster(new BenchServers(shape.folder(), clock));
    try {
      for (int number = 1; number <= shape.nodes(); number++) {
        Map<String, Object> settings = Map.of("durability", shape.durability());
        cluster.nodes.add(
            cluster.servers.start("queue-node", "q" + number, shape.heap(), settings));
      }
      cluster.servers.apply(
          "kind: queue\nname: %s\nmaxEvents: 1000000000\nminSegments: %d\n"
              .formatted(QUEUE, shape.nodes()));
      cluster.servers.awaitSegments(QUEUE, shape.nodes());
      return cluster;
    } catch (RuntimeException | IOException | InterruptedException e) {
      cluster.close();
      throw e;
    }
  }

  /** The directory of the stores. */
  Path folder() {
    return servers.folder();
  }

  RoleProcess process(int index) {
    return nodes.get(index);
  }

  int size() {
    return nodes.size();
  }

  /** A client of one node, which several threads may share. */
  BenchClient client(int index) {
    return new BenchClient(QUEUE, nodes.get(index).address(), servers.token());
  }

  @Override
  public void close() {
    servers.close();
  }

  /**
   * The queue nodes of a benchmark.
   *
   * @param nodes number of nodes
   * @param payload bytes of data per event
   * @param durability as in a node's configuration
   * @param heap maximum heap of each node, as Java takes it
   * @param folder parent directory of the stores; null for a temporary one
   */
  public record ClusterShape(int nodes, int payload, String durability, String heap, Path folder) {}
}

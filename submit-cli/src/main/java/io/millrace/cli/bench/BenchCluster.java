package io.millrace.cli.bench;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.queue.QueueWeights;
import io.millrace.cli.bench.NodeOptions.NodeShape;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Queue nodes in processes of their own with one queue that has no workers. Closing it ends the
 * nodes and deletes their folder.
 */
final class BenchCluster implements AutoCloseable {
  static final String QUEUE = "bench";

  private static final Duration LOOK = Duration.ofMillis(100);
  private static final int LOOKS = 300;

  private final BenchRoles roles;
  private final List<RoleProcess> nodes = new ArrayList<>();

  private BenchCluster(BenchRoles roles) {
    this.roles = roles;
  }

  static BenchCluster start(NodeShape shape, Clock clock) throws IOException, InterruptedException {
    BenchCluster cluster = new BenchCluster(new BenchRoles(shape.folder(), clock));
    try {
      for (int number = 1; number <= shape.nodes(); number++) {
        Map<String, Object> settings = Map.of("durability", shape.durability());
        cluster.nodes.add(cluster.roles.start("queue-node", "q" + number, shape.heap(), settings));
      }
      cluster.roles.apply(
          "kind: queue\nname: %s\nmaxEvents: 1000000000\nminSegments: %d\n"
              .formatted(QUEUE, shape.nodes()));
      cluster.awaitWeights(shape.nodes());
      return cluster;
    } catch (RuntimeException | IOException | InterruptedException e) {
      cluster.close();
      throw e;
    }
  }

  /** Where the stores lie. */
  Path folder() {
    return roles.folder();
  }

  RoleProcess process(int index) {
    return nodes.get(index);
  }

  int size() {
    return nodes.size();
  }

  /** A client of one node, for one thread or several. */
  BenchClient client(int index) {
    return new BenchClient(QUEUE, nodes.get(index).address(), roles.token());
  }

  private void awaitWeights(int segments) throws InterruptedException {
    Waiter waiter = new Waiter();
    for (int looks = 0; looks < LOOKS; looks++) {
      if (roles.central().queue(QUEUE).segments().stream().filter(one -> one.weight() > 0).count()
          == segments) {
        return;
      }
      waiter.await(LOOK);
    }
    throw new MillraceException(
        ErrorCode.TIMEOUT,
        "the nodes did not get their share of the " + QueueWeights.TOTAL + " points");
  }

  @Override
  public void close() {
    roles.close();
  }
}

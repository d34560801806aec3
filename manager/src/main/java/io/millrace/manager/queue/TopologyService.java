package io.millrace.manager.queue;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.api.queue.QueueNodeAddress;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.queue.Topology;
import io.millrace.manager.node.NodeKind;
import io.millrace.manager.node.NodeRegistry;
import io.millrace.platform.lifecycle.Loop;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What nodes and balancers follow, read by one loop for all that wait. A change by this instance is
 * seen at once by a hint, one by another instance within half a second. Thread-safe.
 */
public final class TopologyService implements Service {
  private static final Duration POLLING = Duration.ofMillis(500);

  private record Reading(Topology topology, CompletableFuture<Void> replaced) {}

  private final WeightRows weights;
  private final QueueDefinitions definitions;
  private final NodeRegistry registry;
  private final Clock clock;
  private final Loop loop = new Loop("topology", POLLING, this::read);
  private volatile Reading reading;

  public TopologyService(
      WeightRows weights, QueueDefinitions definitions, NodeRegistry registry, Clock clock) {
    this.weights = weights;
    this.clock = clock;
    this.definitions = definitions;
    this.registry = registry;
  }

  @Override
  public void start() {
    read();
    loop.start();
  }

  @Override
  public void stop() {
    loop.stop();
  }

  /** Says that something may have changed; a hint. */
  public void wake() {
    loop.wake();
  }

  /** Whether the topology names this node at this address. */
  public boolean knows(QueueNodeReport node) {
    QueueNodeAddress address = new QueueNodeAddress(node.id(), node.name(), node.address());
    Reading now = reading;
    return now != null && now.topology.nodes().contains(address);
  }

  /**
   * The topology as soon as it differs from the version known; empty when it did not within the
   * wait. Blocks.
   *
   * @param known empty for none
   */
  public Optional<Topology> await(String known, Duration wait) throws InterruptedException {
    long deadline = clock.nanoTime() + wait.toNanos();
    Reading now = current();
    while (now.topology.version().equals(known)) {
      try {
        now.replaced.get(Math.max(0, deadline - clock.nanoTime()), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        return Optional.empty();
      } catch (ExecutionException e) {
        throw new IllegalStateException("nothing completes it with a failure", e);
      }
      now = reading;
    }
    return Optional.of(now.topology);
  }

  private Reading current() {
    Reading now = reading;
    if (now == null) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, "the topology has not been read yet; ask again");
    }
    return now;
  }

  private void read() {
    Topology fresh =
        TopologyVersion.of(
            definitions.all(),
            weights.all(),
            registry.nodes(NodeKind.QUEUE).stream()
                .map(node -> new QueueNodeAddress(node.id(), node.name(), node.address()))
                .toList());
    Reading before = reading;
    if (before == null || !before.topology.version().equals(fresh.version())) {
      reading = new Reading(fresh, new CompletableFuture<>());
      if (before != null) {
        before.replaced.complete(null);
      }
    }
  }
}

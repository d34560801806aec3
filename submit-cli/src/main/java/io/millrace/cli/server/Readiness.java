package io.millrace.cli.server;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.insight.Overview;
import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Waits until every node of this process has registered with its central manager. Nodes of an
 * earlier process on the same data that was killed may still be listed as live; they are ignored,
 * because their last heartbeat is older than this process.
 */
final class Readiness {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
  private static final int MAX_POLLS = 600;

  private final CentralClient central;
  private final UpSettings expected;
  private final Clock clock;
  private final long beganNanos;
  private final Waiter waiter = new Waiter();

  /**
   * @param clock of this process
   * @param beganNanos its monotonic time before the first node was started
   */
  Readiness(CentralClient central, UpSettings expected, Clock clock, long beganNanos) {
    this.central = central;
    this.expected = expected;
    this.clock = clock;
    this.beganNanos = beganNanos;
  }

  /**
   * Blocks until all are registered.
   *
   * @param cancelled polled while waiting; true ends the wait
   * @throws MillraceException TIMEOUT with the missing nodes
   */
  void await(BooleanSupplier cancelled) throws InterruptedException {
    Registered registered = poll();
    for (int polls = 0; !registered.meets(expected) && !cancelled.getAsBoolean(); polls++) {
      if (polls == MAX_POLLS) {
        throw new MillraceException(ErrorCode.TIMEOUT, registered.missing(expected));
      }
      waiter.await(POLL_INTERVAL);
      registered = poll();
    }
  }

  private Registered poll() {
    // Taken before the request, so that no node with an older heartbeat passes for a new one.
    double runningSeconds = (clock.nanoTime() - beganNanos) / 1e9;
    return Registered.in(central.overview(), runningSeconds);
  }

  /** Number of registered nodes by kind. */
  record Registered(long queueNodes, long executionNodes, long balancers) {
    /** Counts the nodes with a heartbeat in the time that this process has run, in seconds. */
    static Registered in(Overview overview, double runningSeconds) {
      return new Registered(
          overview.queueNodes().stream()
              .filter(node -> node.live() && node.silentSeconds() < runningSeconds)
              .count(),
          overview.executionNodes().stream()
              .filter(node -> !node.lost() && node.silentSeconds() < runningSeconds)
              .count(),
          overview.balancers().size());
    }

    boolean meets(UpSettings expected) {
      return queueNodes >= expected.queueNodes()
          && executionNodes >= expected.executors()
          && balancers > 0;
    }

    String missing(UpSettings expected) {
      return "not all nodes have registered: %d of %d queue nodes, %d of %d execution nodes, %d load balancers; see the log file"
          .formatted(
              queueNodes, expected.queueNodes(), executionNodes, expected.executors(), balancers);
    }
  }
}

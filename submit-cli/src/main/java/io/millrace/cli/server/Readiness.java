package io.millrace.cli.server;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.insight.Overview;
import io.millrace.api.node.NodeStatus;
import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Waits until every node of this process has registered with its central manager. A node of an
 * earlier process on the same data, which was killed, may still count as live; it does not count
 * here, because it has not been heard of since this process began.
 */
final class Readiness {
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final int LOOKS = 600;

  private final CentralClient central;
  private final UpSettings expected;
  private final Clock clock;
  private final long beganNanos;
  private final Waiter waiter = new Waiter();

  /**
   * @param clock of this process
   * @param beganNanos what its monotonic clock showed before the first node was started
   */
  Readiness(CentralClient central, UpSettings expected, Clock clock, long beganNanos) {
    this.central = central;
    this.expected = expected;
    this.clock = clock;
    this.beganNanos = beganNanos;
  }

  /**
   * Blocks until then.
   *
   * @param givenUp looked at all the time; true ends the wait
   * @throws MillraceException TIMEOUT with what is missing
   */
  void await(BooleanSupplier givenUp) throws InterruptedException {
    Registered registered = look();
    for (int look = 0; !registered.meets(expected) && !givenUp.getAsBoolean(); look++) {
      if (look == LOOKS) {
        throw new MillraceException(ErrorCode.TIMEOUT, registered.missing(expected));
      }
      waiter.await(LOOK);
      registered = look();
    }
  }

  private Registered look() {
    // Taken before the question, so that no node that was heard of earlier passes for a new one.
    double runningSeconds = (clock.nanoTime() - beganNanos) / 1e9;
    return Registered.in(central.overview(), runningSeconds);
  }

  /** How many of each kind have registered. */
  record Registered(long queueNodes, long executionNodes, long balancers) {
    /**
     * Counts the nodes that were heard of within the time that this process has run, in seconds.
     */
    static Registered in(Overview overview, double runningSeconds) {
      return new Registered(
          overview.queueNodes().stream()
              .filter(node -> node.live() && node.silentSeconds() < runningSeconds)
              .count(),
          overview.executionNodes().stream()
              .filter(
                  node ->
                      node.status() == NodeStatus.ACTIVE && node.silentSeconds() < runningSeconds)
              .count(),
          overview.balancers().size());
    }

    boolean meets(UpSettings expected) {
      return queueNodes >= expected.queueNodes()
          && executionNodes >= expected.executors()
          && balancers > 0;
    }

    String missing(UpSettings expected) {
      return "not every node has registered: "
          + queueNodes
          + " of "
          + expected.queueNodes()
          + " queue nodes, "
          + executionNodes
          + " of "
          + expected.executors()
          + " execution nodes, "
          + balancers
          + " load balancers; the log file says why";
    }
  }
}

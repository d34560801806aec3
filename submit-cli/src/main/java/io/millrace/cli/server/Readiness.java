package io.millrace.cli.server;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.insight.Overview;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.cli.server.EmbeddedCluster.UpSettings;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.identity.Role;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Waits until every node of this process has registered with its central manager. Nodes of an
 * earlier process on the same data that was killed may still be listed as live; they are ignored,
 * because their last heartbeat is older than this process.
 */
final class Readiness {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
  private static final int MAX_POLLS = 600;
  // The refusals are requested every second.
  private static final int POLLS_BETWEEN_REFUSALS = 20;
  private static final String BALANCER = "lb1";

  private final CentralClient central;
  private final UpSettings expected;
  private final Clock clock;
  private final long beganNanos;
  private final Function<Missing, Optional<MillraceException>> refusals;
  private final Waiter waiter = new Waiter();

  /**
   * @param clock of this process
   * @param beganNanos its monotonic time before the first node was started
   * @param refusals why the central manager refuses the calls of a node; empty if it does not;
   *     blocks
   */
  Readiness(
      CentralClient central,
      UpSettings expected,
      Clock clock,
      long beganNanos,
      Function<Missing, Optional<MillraceException>> refusals) {
    this.central = central;
    this.expected = expected;
    this.clock = clock;
    this.beganNanos = beganNanos;
    this.refusals = refusals;
  }

  /** A node of this process that has not registered. */
  record Missing(Role role, String name) {}

  /**
   * Blocks until all are registered, for half a minute at most. Does not wait for nodes whose
   * identity was withdrawn.
   *
   * @param cancelled polled while waiting; true ends the wait
   * @return nodes without which the cluster works, with the reasons why they are missing; usually
   *     none
   * @throws MillraceException TIMEOUT with the missing nodes and the reasons, if the cluster does
   *     not work without them
   */
  List<String> await(BooleanSupplier cancelled) throws InterruptedException {
    List<Missing> missing = poll();
    for (int polls = 1; !missing.isEmpty() && !cancelled.getAsBoolean(); polls++) {
      boolean last = polls >= MAX_POLLS;
      if (last || (polls % POLLS_BETWEEN_REFUSALS == 0 && allWithdrawn(missing))) {
        return withReasons(missing);
      }
      waiter.await(POLL_INTERVAL);
      missing = poll();
    }
    return List.of();
  }

  private boolean allWithdrawn(List<Missing> missing) {
    return missing.stream()
        .allMatch(
            node -> refusals.apply(node).filter(e -> e.code() == ErrorCode.FORBIDDEN).isPresent());
  }

  private List<String> withReasons(List<Missing> missing) {
    List<String> reasons = missing.stream().map(this::withReason).toList();
    if (!worksWithout(missing)) {
      throw new MillraceException(
          ErrorCode.TIMEOUT,
          "not all nodes have registered; see the log file:\n  - "
              + String.join("\n  - ", reasons));
    }
    return reasons;
  }

  private String withReason(Missing node) {
    String reason =
        refusals
            .apply(node)
            .map(MillraceException::getMessage)
            .orElse("it has not registered; see the log file");
    return "%s %s: %s".formatted(node.role().label(), node.name(), reason);
  }

  private boolean worksWithout(List<Missing> missing) {
    return count(missing, Role.QUEUE_NODE) < expected.queueNodes()
        && count(missing, Role.EXECUTION_NODE) < expected.executors()
        && count(missing, Role.LOAD_BALANCER) == 0;
  }

  private static long count(List<Missing> missing, Role role) {
    return missing.stream().filter(node -> node.role() == role).count();
  }

  private List<Missing> poll() {
    // Taken before the request, so that no node with an older heartbeat passes for a new one.
    double runningSeconds = (clock.nanoTime() - beganNanos) / 1e9;
    return missing(expected, central.overview(), runningSeconds);
  }

  /** The nodes without a heartbeat in the time that this process has run, in seconds. */
  static List<Missing> missing(UpSettings expected, Overview overview, double runningSeconds) {
    Set<String> queueNodes =
        overview.queueNodes().stream()
            .filter(node -> node.live() && node.silentSeconds() < runningSeconds)
            .map(QueueNodeView::name)
            .collect(Collectors.toSet());
    Set<String> executors =
        overview.executionNodes().stream()
            .filter(node -> !node.lost() && node.silentSeconds() < runningSeconds)
            .map(ExecutionNodeView::name)
            .collect(Collectors.toSet());
    List<Missing> missing = new ArrayList<>();
    for (int number = 1; number <= expected.queueNodes(); number++) {
      if (!queueNodes.contains("q" + number)) {
        missing.add(new Missing(Role.QUEUE_NODE, "q" + number));
      }
    }
    for (int number = 1; number <= expected.executors(); number++) {
      if (!executors.contains("e" + number)) {
        missing.add(new Missing(Role.EXECUTION_NODE, "e" + number));
      }
    }
    if (overview.balancers().isEmpty()) {
      missing.add(new Missing(Role.LOAD_BALANCER, BALANCER));
    }
    return missing;
  }
}

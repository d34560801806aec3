package io.millrace.cli.server;

import io.millrace.api.client.CentralClient;
import io.millrace.api.node.NodeStanding;
import io.millrace.api.overview.Overview;
import io.millrace.api.overview.QueueNodeView;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits until every node of a cluster is known to its central manager. */
final class Readiness {
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final int LOOKS = 600;

  private final CentralClient central;
  private final UpSettings expected;
  private final Waiter waiter = new Waiter();

  Readiness(CentralClient central, UpSettings expected) {
    this.central = central;
    this.expected = expected;
  }

  /**
   * Blocks until then.
   *
   * @param givenUp looked at all the time; true ends the wait
   * @throws MillraceException TIMEOUT with what is missing
   */
  void await(BooleanSupplier givenUp) throws InterruptedException {
    Overview overview = central.overview();
    for (int look = 0; !ready(overview) && !givenUp.getAsBoolean(); look++) {
      if (look == LOOKS) {
        throw new MillraceException(
            ErrorCode.TIMEOUT,
            "not every node has registered: "
                + queueNodes(overview)
                + " of "
                + expected.queueNodes()
                + " queue nodes, "
                + executors(overview)
                + " of "
                + expected.executors()
                + " execution nodes, "
                + overview.balancers().size()
                + " load balancers; the log file says why");
      }
      waiter.await(LOOK);
      overview = central.overview();
    }
  }

  private boolean ready(Overview overview) {
    return queueNodes(overview) >= expected.queueNodes()
        && executors(overview) >= expected.executors()
        && !overview.balancers().isEmpty();
  }

  private static long queueNodes(Overview overview) {
    return overview.queueNodes().stream().filter(QueueNodeView::live).count();
  }

  private static long executors(Overview overview) {
    return overview.executionNodes().stream()
        .filter(node -> node.standing() == NodeStanding.EMPLOYED)
        .count();
  }
}

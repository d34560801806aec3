package io.millrace.cli.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobSpec;
import io.millrace.api.node.NodeCommand;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;

/**
 * Jobs that wait behind the measured ones: alike, but of lower priority. Between the runs the nodes
 * are drained, or they would work it off.
 */
final class Backlog {
  private static final int PRIORITY = -1_000;
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final int LOOKS = 3_000;

  private final JobsCluster cluster;
  private final CentralClient central;
  private final int size;

  Backlog(JobsCluster cluster, int size) {
    this.cluster = cluster;
    this.central = cluster.client(0);
    this.size = size;
  }

  /** Submits what is missing of it, while no node takes anything. */
  void fill(JobSpec spec, Clock clock) throws InterruptedException {
    if (size > 0) {
      hold();
      int missing = (int) Math.max(0, size - cluster.records().waiting());
      new JobRound(cluster, spec.draft().priority(PRIORITY).spec(), clock).submitUntil(missing);
    }
  }

  /** Lets the nodes take jobs. */
  void release() {
    if (size > 0) {
      cluster.nodes().names().forEach(central::undrainExecution);
    }
  }

  private void hold() throws InterruptedException {
    cluster
        .nodes()
        .names()
        .forEach(node -> central.drainExecution(node, new NodeCommand(null, "between two runs")));
    Waiter waiter = new Waiter();
    for (int looks = 0; cluster.records().live() > 0; looks++) {
      if (looks == LOOKS) {
        throw new MillraceException(ErrorCode.TIMEOUT, "a drained node still runs jobs");
      }
      waiter.await(LOOK);
    }
  }
}

package io.millrace.bench.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobSpec;
import io.millrace.bench.process.Rate;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Submits identical jobs in batches, to each central manager in turn, and waits until they end. */
final class JobRound {
  private static final int BATCH = 1_000;
  // Polled together, in the order of submission, which is roughly the order of their ends.
  private static final int WINDOW = 100;
  private static final Duration POLL_INTERVAL = Duration.ofMillis(25);
  private static final Duration STUCK = Duration.ofMinutes(2);

  private final JobsCluster cluster;
  private final JobSpec spec;
  private final Clock clock;
  private final List<CentralClient> clients;
  private final Waiter waiter = new Waiter();
  private final List<Long> ids = new ArrayList<>();

  JobRound(JobsCluster cluster, JobSpec spec, Clock clock) {
    this.cluster = cluster;
    this.spec = spec;
    this.clock = clock;
    this.clients = IntStream.range(0, cluster.managers()).mapToObj(cluster::client).toList();
  }

  /**
   * Jobs per second, from before the first submission until the last end is recorded.
   *
   * @param afterFirst run once the first batch is waiting
   */
  double perSecond(int jobs, Runnable afterFirst) throws InterruptedException {
    return Rate.perSecond(
        clock,
        jobs,
        () -> {
          submit(Math.min(BATCH, jobs));
          afterFirst.run();
          submitUntil(jobs);
          awaitEnds();
        });
  }

  /** The submitted jobs in order of submission. */
  List<Long> ids() {
    return Collections.unmodifiableList(ids);
  }

  /** Submits jobs until this number is reached. */
  void submitUntil(int jobs) {
    while (ids.size() < jobs) {
      submit(Math.min(BATCH, jobs - ids.size()));
    }
  }

  private void submit(int count) {
    CentralClient client = clients.get(ids.size() / BATCH % clients.size());
    ids.addAll(client.submitAll(Collections.nCopies(count, spec)));
  }

  private void awaitEnds() throws InterruptedException {
    int ended = 0;
    long progress = clock.nanoTime();
    while (ended < ids.size()) {
      List<Long> next = ids.subList(ended, Math.min(ids.size(), ended + WINDOW));
      if (cluster.records().ended(next) == next.size()) {
        ended += next.size();
        progress = clock.nanoTime();
      } else if (clock.nanoTime() - progress > STUCK.toNanos()) {
        throw new MillraceException(
            ErrorCode.TIMEOUT,
            "some of the jobs %d to %d do not end"
                .formatted(next.get(0), next.get(next.size() - 1)));
      } else {
        waiter.await(POLL_INTERVAL);
      }
    }
  }
}

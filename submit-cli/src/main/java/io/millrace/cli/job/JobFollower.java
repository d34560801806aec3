package io.millrace.cli.job;

import io.millrace.api.client.CentralClient;
import io.millrace.api.job.JobView;
import io.millrace.platform.lifecycle.Waiter;
import java.time.Duration;
import java.util.List;

/** Shows the output of a job, attempt by attempt, until the job has ended. Not thread-safe. */
final class JobFollower {
  private static final Duration MIN_INTERVAL = Duration.ofMillis(10);
  private static final Duration MAX_INTERVAL = Duration.ofMillis(250);
  private static final Duration AFTER_END = Duration.ofSeconds(1);

  private final CentralClient central;
  private final AttemptOutput output;
  private final List<String> streams;
  private final Waiter waiter = new Waiter();

  JobFollower(CentralClient central, AttemptOutput output, List<String> streams) {
    this.central = central;
    this.output = output;
    this.streams = streams;
  }

  /** Blocks until the job has ended; returns its last state. */
  JobView follow(long id) throws InterruptedException {
    int shown = 0;
    Duration interval = MIN_INTERVAL;
    JobView job = central.job(id).job();
    while (!job.state().ended() || shown < job.attempt()) {
      int before = shown;
      shown = show(job, shown);
      if (shown > before) {
        interval = MIN_INTERVAL;
        job = central.await(id, AFTER_END);
      } else {
        waiter.await(interval);
        interval = longer(interval);
        job = central.job(id).job();
      }
    }
    return job;
  }

  /** Shows attempts from the first one not shown; returns the last one that is complete. */
  private int show(JobView job, int shown) throws InterruptedException {
    int last = shown;
    while (last < job.attempt()) {
      boolean found = output.follow(job.id(), last + 1, streams);
      // The current attempt may not have reached its node yet; other attempts write nothing more.
      boolean mayStart = last + 1 == job.attempt() && !job.state().ended();
      if (!found && mayStart) {
        return last;
      }
      last++;
    }
    return last;
  }

  private static Duration longer(Duration interval) {
    Duration next = interval.multipliedBy(3).dividedBy(2);
    return next.compareTo(MAX_INTERVAL) < 0 ? next : MAX_INTERVAL;
  }
}

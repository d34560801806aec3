package io.millrace.cli.queue;

import io.millrace.api.client.ApiClient;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.AttemptOutput;
import io.millrace.cli.job.JobSection;
import io.millrace.platform.lifecycle.Waiter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/** Prints the output of the ended worker runs of a queue, each once. Not thread-safe. */
final class RunLog {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int PAGE_SIZE = 100;

  private final Invocation invocation;
  private final JobSection section;
  private final String query;
  private final Set<Long> printed = new HashSet<>();

  RunLog(Invocation invocation, AttemptOutput output, String queue, boolean failedOnly) {
    this.invocation = invocation;
    this.section = new JobSection(invocation, output);
    this.query =
        "kind=worker&queue=" + ApiClient.encode(queue) + (failedOnly ? "&state=failed" : "");
  }

  /** Prints the runs that ended since the last call, up to the limit; returns their number. */
  int printNew(int limit) throws IOException {
    Deque<JobView> fresh = new ArrayDeque<>();
    for (JobView run : invocation.central().jobs(query + "&limit=" + PAGE_SIZE).jobs()) {
      boolean ran = run.state().ended() && run.attempt() > 0;
      if (ran && printed.add(run.id()) && fresh.size() < limit) {
        fresh.addFirst(run);
      }
    }
    for (JobView run : fresh) {
      section.print("worker", run);
    }
    return fresh.size();
  }

  /** Prints new runs until the output is closed. */
  void follow() throws IOException, InterruptedException {
    Waiter waiter = new Waiter();
    while (!invocation.terminal().out().checkError()) {
      waiter.await(PAUSE);
      printNew(PAGE_SIZE);
    }
  }
}

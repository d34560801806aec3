package io.millrace.cli.queue;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ApiClient;
import io.millrace.api.job.JobView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.AttemptOutput;
import io.millrace.cli.job.JobFormatter;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Palette.Style;
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
  private final AttemptOutput output;
  private final String query;
  private final Set<Long> printed = new HashSet<>();

  RunLog(Invocation invocation, AttemptOutput output, String queue, boolean failedOnly) {
    this.invocation = invocation;
    this.output = output;
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
      print(run);
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

  private void print(JobView run) throws IOException {
    if (!invocation.json()) {
      String heading =
          "== worker %d.%d on %s, %s, %s ago =="
              .formatted(
                  run.id(),
                  run.attempt(),
                  Escaping.text(run.node()),
                  JobFormatter.ending(run),
                  Ages.since(run.endedAt(), invocation.now()));
      invocation.line(invocation.palette().paint(Style.FAINT, heading));
    }
    try {
      output.print(run.id(), run.attempt(), AttemptOutput.BOTH);
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.UNKNOWN_ATTEMPT) {
        throw e;
      }
      invocation.note("(output no longer available)");
    }
  }
}

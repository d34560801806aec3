package io.millrace.cli.job;

import io.millrace.api.job.JobView;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.api.quantity.Durations;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.WaitsForJob;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "wait",
    description = "Waits for a job's end and exits with its exit code (128 + n for signals).",
    footer = {
      "",
      "Example:",
      "  millrace job wait 17 --timeout 5m",
      "",
      "124 tells that the time was over first; 120 to 125 are the command's own errors."
    })
final class WaitCommand implements Callable<Integer>, WaitsForJob {
  private static final Duration SLICE = Duration.ofSeconds(10);

  private final Invocation invocation;

  @Parameters(paramLabel = "ID", description = "The job's number.")
  private long id;

  @Option(names = "--timeout", paramLabel = "TIME", description = "Wait no longer, such as 5m.")
  private Duration timeout;

  WaitCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public Integer call() {
    long started = invocation.clock().nanoTime();
    JobView job = invocation.central().await(id, slice(started));
    while (!job.state().ended()) {
      if (timeout != null && slice(started).isZero()) {
        throw new MillraceException(
            ErrorCode.TIMEOUT,
            "job "
                + id
                + " is still "
                + JobWords.word(job.state())
                + " after "
                + Durations.format(timeout)
                + "; it goes on");
      }
      job = invocation.central().await(id, slice(started));
    }
    if (invocation.json()) {
      invocation.terminal().json(job);
    } else {
      invocation.terminal().note("job " + id + " " + JobWords.ending(job));
    }
    return ExitCode.of(job);
  }

  private Duration slice(long started) {
    if (timeout == null) {
      return SLICE;
    }
    Duration left = timeout.minusNanos(invocation.clock().nanoTime() - started);
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(SLICE) < 0 ? left : SLICE;
  }
}

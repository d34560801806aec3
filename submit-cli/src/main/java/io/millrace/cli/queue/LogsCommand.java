package io.millrace.cli.queue;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.AttemptOutput;
import io.millrace.cli.job.Sinks;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "logs",
    description = "Prints what the queue's latest worker runs wrote, oldest first.",
    footer = {
      "",
      "Examples:",
      "  millrace queue logs alert --failed",
      "  millrace queue logs alert -f"
    })
final class LogsCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  @Option(names = "--failed", description = "Only failed runs.")
  private boolean failed;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on with new runs as they end.")
  private boolean follow;

  @Option(
      names = "--limit",
      defaultValue = "10",
      description = "At most so many runs (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Option(names = "--raw", description = "Escape nothing, even on a terminal.")
  private boolean raw;

  LogsCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    invocation.central().queue(queue);
    AttemptOutput output =
        new AttemptOutput(
            invocation.central(), Sinks.suiting(invocation.terminal(), invocation.json(), raw));
    RunLog log = new RunLog(invocation, output, queue, failed);
    if (log.printNew(limit) == 0 && !follow) {
      invocation.terminal().note(failed ? "no failed worker runs" : "no worker runs yet");
    }
    if (follow) {
      log.follow();
    }
    return 0;
  }
}

package io.millrace.cli.job;

import io.millrace.cli.invocation.Invocation;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "logs",
    description = "Prints what a job wrote: its output to the output, its errors to the errors.",
    footer = {
      "",
      "Examples:",
      "  millrace job logs 17",
      "  millrace job logs -f 17",
      "  millrace job logs --stderr --attempt 1 17"
    })
final class LogsCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "ID", description = "The job's number.")
  private long id;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the job has ended.")
  private boolean follow;

  @Option(names = "--stdout", description = "Only the output.")
  private boolean stdout;

  @Option(names = "--stderr", description = "Only the errors.")
  private boolean stderr;

  @Option(names = "--attempt", description = "Of this attempt (default: the last one).")
  private int attempt;

  @Option(names = "--raw", description = "Escape nothing, even on a terminal.")
  private boolean raw;

  LogsCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    AttemptOutput output =
        new AttemptOutput(
            invocation.central(), Sinks.suiting(invocation.terminal(), invocation.json(), raw));
    if (!follow) {
      output.print(id, attempt, streams());
    } else if (attempt > 0) {
      output.follow(id, attempt, streams());
    } else {
      new JobFollower(invocation.central(), output, streams()).follow(id);
    }
    return 0;
  }

  private List<String> streams() {
    if (stdout == stderr) {
      return AttemptOutput.BOTH;
    }
    return List.of(stderr ? "stderr" : "stdout");
  }
}

package io.millrace.cli.job;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "logs",
    description = "Prints what a job wrote: its output to the output, its errors to the errors.",
    footer = {
      "",
      "Examples:",
      "  millrace job logs 17",
      "  millrace job logs -f 17",
      "  millrace job logs --stderr --attempt 1 '17[3]'"
    })
final class LogsCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final NamedJob job = new NamedJob();

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the job has ended.")
  private boolean follow;

  @Option(names = "--stdout", description = "Only the output.")
  private boolean stdout;

  @Option(names = "--stderr", description = "Only the errors.")
  private boolean stderr;

  @Option(
      names = "--attempt",
      paramLabel = "N",
      description = "Of this attempt (default: the last one).")
  private Integer attempt;

  @Option(names = "--raw", description = "Escape nothing, even on a terminal.")
  private boolean raw;

  LogsCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    Refusal.outside("--attempt", attempt, 1, Integer.MAX_VALUE);
    long id = job.id(invocation);
    try {
      show(id);
      return 0;
    } catch (MillraceException e) {
      throw e.code() == ErrorCode.UNKNOWN_ATTEMPT && isArray(id) ? ofArray() : e;
    }
  }

  private void show(long id) throws Exception {
    AttemptOutput output =
        new AttemptOutput(
            invocation.central(), Sinks.suiting(invocation.terminal(), invocation.json(), raw));
    if (!follow) {
      output.print(id, attempt == null ? 0 : attempt, streams());
    } else if (attempt != null) {
      output.follow(id, attempt, streams());
    } else if (isArray(id)) {
      throw ofArray();
    } else {
      new JobFollower(invocation.central(), output, streams()).follow(id);
    }
  }

  private boolean isArray(long id) {
    return invocation.central().job(id).job().progress() != null;
  }

  private MillraceException ofArray() {
    return Refusal.of("ID", job + " is an array; name an element, for instance " + job + "[1]");
  }

  private List<String> streams() {
    if (stdout == stderr) {
      return AttemptOutput.BOTH;
    }
    return List.of(stderr ? "stderr" : "stdout");
  }
}

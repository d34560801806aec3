package io.millrace.cli.job;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.job.AttemptOutput.JobFollower;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Option;

/** Which output of a job is printed, and how. Set by the parser. */
public final class OutputOptions {
  @Option(
      names = {"-f", "--follow"},
      description = "Follow the output until the job has ended.")
  private boolean follow;

  @Option(names = "--stdout", description = "Only stdout.")
  private boolean stdout;

  @Option(names = "--stderr", description = "Only stderr.")
  private boolean stderr;

  @Option(
      names = "--attempt",
      paramLabel = "N",
      description = "Attempt number (default: the last attempt).")
  private Integer attempt;

  @Option(
      names = "--tail",
      paramLabel = "N",
      description = "Only the last N lines of each stream; -f continues after them.")
  private Integer tail;

  @Option(names = "--raw", description = "Do not escape control characters on a terminal.")
  private boolean raw;

  /** Refuses values outside their bounds; call it before anything else. */
  public void check() {
    OptionRefusal.outside("--attempt", attempt, 1, Integer.MAX_VALUE);
    OptionRefusal.outside("--tail", tail, 0, AttemptOutput.MAX_TAIL);
  }

  /** Lines of each stream; null for all. */
  Integer tail() {
    return tail;
  }

  boolean onlyTail() {
    return !follow && attempt == null && !stdout && !stderr && !raw;
  }

  /** Whether attempt after attempt is followed, which an array does not have. */
  boolean followsAttempts() {
    return follow && attempt == null;
  }

  /**
   * Prints the output of a job that is not an array; with {@code -f} until it has ended.
   *
   * @throws io.millrace.api.MillraceException UNKNOWN_ATTEMPT if there is none
   */
  public void print(Invocation invocation, long job) throws IOException, InterruptedException {
    List<String> streams =
        stdout == stderr ? AttemptOutput.BOTH : List.of(stderr ? "stderr" : "stdout");
    AttemptOutput output =
        new AttemptOutput(
            invocation.central(),
            Sinks.forTerminal(invocation.terminal(), invocation.json(), raw),
            tail);
    if (!follow) {
      output.print(job, attempt == null ? 0 : attempt, streams);
    } else if (attempt != null) {
      output.follow(job, attempt, streams);
    } else {
      JobFollower follower = new JobFollower(invocation.central(), output, streams);
      follower.follow(job, tail == null ? 1 : invocation.central().job(job).job().attempt());
    }
  }
}

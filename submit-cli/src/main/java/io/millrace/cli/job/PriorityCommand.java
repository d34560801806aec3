package io.millrace.cli.job;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace job priority}. */
@Command
final class PriorityCommand extends ActionCommand {
  /** The highest, and negated the lowest. */
  static final int MOST = 1_000_000;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "N",
      description = "The new priority; higher runs first, 0 is ordinary.")
  private int priority;

  PriorityCommand(Invocation invocation) {
    super(invocation, ActionMessages.PRIORITY);
  }

  @Override
  String example() {
    return " --to 5";
  }

  @Override
  Integer priority() {
    return priority;
  }

  @Override
  public Integer call() throws IOException {
    Refusal.outside("--to", priority, -MOST, MOST);
    return super.call();
  }
}

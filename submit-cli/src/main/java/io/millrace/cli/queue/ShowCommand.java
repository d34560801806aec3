package io.millrace.cli.queue;

import io.millrace.api.insight.QueueDetails;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description = "Shows all about a queue: definition, segments, managers, workers, last failure.",
    footer = {"", "Example:", "  millrace queue show alert"})
final class ShowCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String name;

  ShowCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    QueueDetails details = invocation.central().queue(name);
    if (invocation.json()) {
      invocation.terminal().json(details);
    } else {
      invocation
          .terminal()
          .lines(new QueueDescription(details, invocation.now(), invocation.palette()).lines());
    }
    return 0;
  }
}

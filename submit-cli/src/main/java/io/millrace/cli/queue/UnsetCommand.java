package io.millrace.cli.queue;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "unset",
    description = "Ends what was set for a while: the queue's definition holds again.",
    footer = {"", "Example:", "  millrace queue unset alert"})
final class UnsetCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue.")
  private String queue;

  UnsetCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    invocation.central().endOverride(queue);
    invocation.answer(
        Map.of("queue", queue),
        () -> invocation.terminal().line(Escaping.text(queue) + ": its definition holds"));
    return 0;
  }
}

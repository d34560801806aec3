package io.millrace.cli.node;

import io.millrace.api.overview.QueueNodeView;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "undrain",
    description = "Ends a draining or a maintenance: the node takes its part again.",
    footer = {"", "Example:", "  millrace node undrain q3"})
final class UndrainCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue node.")
  private String name;

  UndrainCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    QueueNodeView node = Steering.of(invocation, name, () -> invocation.central().undrain(name));
    Steering.tell(invocation, node);
    return 0;
  }
}

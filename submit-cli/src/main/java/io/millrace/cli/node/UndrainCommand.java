package io.millrace.cli.node;

import io.millrace.api.client.CentralClient;
import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "undrain",
    description = "Ends a draining or a maintenance: the node takes its part again.",
    footer = {"", "Example:", "  millrace node undrain q3"})
final class UndrainCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final Steering steering = new Steering();

  UndrainCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    CentralClient central = invocation.central();
    String name = steering.name();
    steering.run(invocation, () -> central.undrain(name), () -> central.undrainExecution(name));
    return 0;
  }
}

package io.millrace.cli.node;

import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "forget",
    description = "Strikes a lost queue node off the list.",
    footer = {"", "Example:", "  millrace node forget q3"})
final class ForgetCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Parameters(paramLabel = "NAME", description = "The queue node.")
  private String name;

  @Option(names = "--force", description = "Even when it held events, which are given up with it.")
  private boolean force;

  ForgetCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    invocation.central().forget(name, force);
    if (invocation.json()) {
      invocation.terminal().json(Map.of("forgotten", name));
    } else {
      invocation.terminal().line("queue node " + Escaping.text(name) + " is forgotten");
    }
    return 0;
  }
}

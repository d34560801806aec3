package io.millrace.cli;

import io.millrace.cli.invocation.Invocation;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "completion",
    description = "Prints a completion script for bash and zsh.",
    footer = {"", "Example:", "  source <(millrace completion)"})
final class CompletionCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Spec private CommandSpec spec;

  CompletionCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    invocation.line(AutoComplete.bash("millrace", spec.root().commandLine()));
    return 0;
  }
}

package io.millrace.cli.definition;

import io.millrace.cli.invocation.Invocation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace check}. */
@Command(
    name = "check",
    description = {
      "Checks definitions as applying them would, and tells what each means.",
      "Needs no server; whether a program or a pool exists is not looked at."
    },
    footer = {
      "",
      "Examples:",
      "  millrace check queues.yaml",
      "  millrace check definitions/ --json",
      "",
      "Exit codes: 0 all right, 1 something is wrong, 2 usage."
    })
public final class CheckCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE|DIR",
      description = "A YAML file, a directory with such, or - for the standard input.")
  private final List<Path> named = new ArrayList<>();

  @Parameters(paramLabel = "FILE|DIR", arity = "0..*", description = "More of them.")
  private final List<Path> more = new ArrayList<>();

  public CheckCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws IOException {
    List<Path> all = new ArrayList<>(named);
    all.addAll(more);
    return new CheckRun(invocation).run(all);
  }
}

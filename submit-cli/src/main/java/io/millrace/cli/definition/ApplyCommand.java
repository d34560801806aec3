package io.millrace.cli.definition;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.cli.definition.DefinitionCommands.ChangeLines;
import io.millrace.cli.invocation.Invocation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace apply}. */
@Command(
    name = "apply",
    description = "Applies definition files: all of them, or none if any is refused.",
    footer = {
      "",
      "Examples:",
      "  millrace apply -f queues.yaml",
      "  millrace apply -f definitions/ --dry-run",
      "  cat queue.yaml | millrace apply -f -"
    })
public final class ApplyCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE|DIR",
      description = "YAML file, directory with YAML files, or - for standard input.")
  private final List<Path> named = new ArrayList<>();

  @Parameters(
      paramLabel = "FILE|DIR",
      arity = "0..*",
      description = "Further files or directories.")
  private final List<Path> more = new ArrayList<>();

  @Option(names = "--dry-run", description = "Print the changes without making them.")
  private boolean dryRun;

  public ApplyCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    List<Path> all = new ArrayList<>(named);
    all.addAll(more);
    DefinitionFiles files = new DefinitionFiles(invocation.terminal().in());
    ApplyAnswer answer = invocation.central().apply(new ApplyRequest(files.read(all), dryRun));
    invocation.answer(answer, () -> print(answer));
    return 0;
  }

  private void print(ApplyAnswer answer) {
    ChangeLines lines = new ChangeLines(invocation);
    answer.changes().forEach(lines::print);
    lines.dryRunNotice(answer.dryRun());
  }
}

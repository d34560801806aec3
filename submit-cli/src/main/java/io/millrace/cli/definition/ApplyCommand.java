package io.millrace.cli.definition;

import io.millrace.api.definition.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest;
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
    description = "Makes the definitions be as the files say; all of them, or none.",
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
      description = "A YAML file, a directory with such, or - for the standard input.")
  private final List<Path> named = new ArrayList<>();

  @Parameters(paramLabel = "FILE|DIR", arity = "0..*", description = "More of them.")
  private final List<Path> more = new ArrayList<>();

  @Option(names = "--dry-run", description = "Only say what would change.")
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
    lines.remindOfDryRun(answer.dryRun());
  }
}

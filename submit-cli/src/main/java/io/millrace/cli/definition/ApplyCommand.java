package io.millrace.cli.definition;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.cli.definition.DefinitionCommands.ChangeLines;
import io.millrace.cli.invocation.Invocation;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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

  @Mixin private final DefinitionFiles.Arguments files = new DefinitionFiles.Arguments();

  @Option(names = "--dry-run", description = "Print the changes without making them.")
  private boolean dryRun;

  public ApplyCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    List<SourceFile> sources = files.read(invocation.terminal().in());
    ApplyAnswer answer = invocation.central().apply(new ApplyRequest(sources, dryRun));
    invocation.answer(answer, () -> print(answer));
    return 0;
  }

  private void print(ApplyAnswer answer) {
    ChangeLines lines = new ChangeLines(invocation);
    answer.changes().forEach(lines::print);
    lines.dryRunNotice(answer.dryRun());
  }
}

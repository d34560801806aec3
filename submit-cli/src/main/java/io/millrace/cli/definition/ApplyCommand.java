package io.millrace.cli.definition;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.LabelSelector;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.cli.definition.DefinitionCommands.ChangeLines;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
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
      "  millrace apply -f billing/ --prune --label team=billing",
      "  cat queue.yaml | millrace apply -f -"
    })
public final class ApplyCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private final DefinitionFiles.Arguments files = new DefinitionFiles.Arguments();

  @Option(names = "--dry-run", description = "Print the changes without making them.")
  private boolean dryRun;

  @Option(
      names = "--prune",
      description = "Also delete definitions that have the label and are not in the files.")
  private boolean prune;

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description = "Label of the definitions that --prune deletes.")
  private String label;

  public ApplyCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    LabelSelector selector = selector();
    List<SourceFile> sources = files.read(invocation.terminal().in());
    ApplyAnswer answer = invocation.central().apply(new ApplyRequest(sources, dryRun, selector));
    invocation.answer(answer, () -> print(answer));
    return 0;
  }

  private LabelSelector selector() {
    OptionRefusal.unless(
        prune == (label != null),
        prune ? "--prune" : "--label",
        prune
            ? "name the label of what may be deleted with --label KEY=VALUE"
            : "only together with --prune");
    if (!prune) {
      return null;
    }
    int equals = label.indexOf('=');
    OptionRefusal.unless(equals > 0, "--label", "write KEY=VALUE, such as team=billing");
    return new LabelSelector(label.substring(0, equals), label.substring(equals + 1));
  }

  private void print(ApplyAnswer answer) {
    ChangeLines lines = new ChangeLines(invocation);
    answer.changes().forEach(change -> lines.print(change, answer.dryRun()));
    lines.dryRunNotice(answer.dryRun());
  }
}

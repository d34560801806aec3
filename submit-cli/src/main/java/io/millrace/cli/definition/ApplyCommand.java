package io.millrace.cli.definition;

import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer;
import io.millrace.api.definition.ApplyRequest.ExpectedVersion;
import io.millrace.api.definition.ApplyRequest.LabelSelector;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.cli.definition.DefinitionCommands.ChangeLines;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
      "  millrace apply -f alert.yaml --expect queue/alert=3",
      "  cat queue.yaml | millrace apply -f -"
    })
public final class ApplyCommand implements Callable<Integer> {
  private static final Pattern EXPECTED =
      Pattern.compile("([a-z]{1,20})/([^/=\\s]{1,200})=(\\d{1,9})");

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

  @Option(
      names = "--expect",
      paramLabel = "KIND/NAME=VERSION",
      description = {
        "Change nothing unless this version is in force; 0 if there must be none.",
        "May be repeated."
      })
  private List<String> expected = List.of();

  public ApplyCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws Exception {
    LabelSelector selector = selector();
    List<ExpectedVersion> versions = expected.stream().map(ApplyCommand::version).toList();
    OptionRefusal.unless(
        versions.size() <= ApplyRequest.MAX_EXPECTED,
        "--expect",
        "at most " + ApplyRequest.MAX_EXPECTED + " are allowed");
    List<SourceFile> sources = files.read(invocation.terminal().in());
    ApplyAnswer answer =
        invocation.central().apply(new ApplyRequest(sources, dryRun, selector, versions));
    invocation.answer(answer, () -> print(answer));
    return 0;
  }

  private static ExpectedVersion version(String text) {
    Matcher form = EXPECTED.matcher(text);
    OptionRefusal.unless(
        form.matches(),
        "--expect",
        "write KIND/NAME=VERSION, such as queue/alert=3, not '" + text + "'");
    return new ExpectedVersion(form.group(1), form.group(2), Integer.parseInt(form.group(3)));
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

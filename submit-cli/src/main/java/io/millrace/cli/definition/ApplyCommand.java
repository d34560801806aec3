package io.millrace.cli.definition;

import io.millrace.api.definition.ApplyAnswer;
import io.millrace.api.definition.ApplyChange;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Style;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
    if (invocation.json()) {
      invocation.terminal().json(answer);
    } else {
      answer.changes().forEach(this::print);
      if (answer.dryRun()) {
        invocation.terminal().note("nothing was changed (--dry-run)");
      }
    }
    return 0;
  }

  private void print(ApplyChange change) {
    String action = change.action().name().toLowerCase(Locale.ROOT);
    invocation
        .terminal()
        .line(
            Escaping.text(change.kind() + "/" + change.name())
                + " "
                + action
                + " (version "
                + change.version()
                + ")");
    Palette palette = invocation.palette();
    for (String line : change.diff()) {
      Style style =
          line.startsWith("+") ? Style.GOOD : line.startsWith("-") ? Style.BAD : Style.PLAIN;
      invocation.terminal().line("  " + palette.paint(style, Escaping.text(line)));
    }
  }
}

package io.millrace.cli.definition;

import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyAction;
import io.millrace.api.definition.ApplyRequest.ApplyAnswer.ApplyChange;
import io.millrace.api.definition.DefinitionView;
import io.millrace.api.definition.DefinitionView.DefinitionSummary;
import io.millrace.api.definition.DefinitionView.DefinitionVersion;
import io.millrace.api.definition.DefinitionView.RollbackRequest;
import io.millrace.api.definition.DeletionView;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace definition …}: the definitions that were applied, with their versions. */
@Command(
    name = "definition",
    description = "Shows applied definitions and rolls back to earlier versions.")
public final class DefinitionCommands extends CommandGroup {

  private DefinitionCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(
        new CommandLine(new DefinitionCommands(invocation)), "list show history rollback");
  }

  @Command(
      name = "list",
      description = "Lists the definitions in force.",
      footer = {
        "",
        "Examples:",
        "  millrace definition list",
        "  millrace definition list --deleted    what 'millrace definition rollback' can bring back"
      })
  void list(
      @Option(
              names = "--deleted",
              description = "List deleted definitions instead, the last deleted first.")
          boolean deleted) {
    if (deleted) {
      List<DeletionView> deletions = invocation.central().deletedDefinitions();
      invocation.list(deletions, () -> deletedTable(deletions), "no deleted definitions");
      return;
    }
    List<DefinitionSummary> definitions = invocation.central().definitions();
    invocation.list(
        definitions,
        () -> table(definitions),
        "no definitions; apply some with 'millrace apply -f FILE'");
  }

  private Table deletedTable(List<DeletionView> deletions) {
    Table table =
        new Table(
            Column.left("KIND"),
            Column.left("NAME"),
            Column.right("VERSION"),
            Column.left("DELETED BY"),
            Column.right("AGO"));
    for (DeletionView one : deletions) {
      table.row(
          one.kind(),
          one.name(),
          String.valueOf(one.version()),
          one.by(),
          Ages.since(one.endedAt(), invocation.now()));
    }
    return table;
  }

  private Table table(List<DefinitionSummary> definitions) {
    Table table =
        new Table(
            Column.left("KIND"),
            Column.left("NAME"),
            Column.right("VERSION"),
            Column.left("BY"),
            Column.right("AGE"));
    for (DefinitionSummary one : definitions) {
      table.row(
          one.kind(),
          one.name(),
          String.valueOf(one.version()),
          one.author(),
          Ages.since(one.appliedAt(), invocation.now()));
    }
    return table;
  }

  @Command(
      name = "show",
      description = "Prints a definition as YAML that can be applied.",
      footer = {
        "",
        "Examples:",
        "  millrace definition show queue alert > alert.yaml",
        "  millrace definition show queue alert --version 3"
      })
  void show(
      @Mixin NamedDefinition definition,
      @Option(
              names = "--version",
              paramLabel = "N",
              description = "Version number (default: the version in force).")
          Integer version) {
    OptionRefusal.outside("--version", version, 1, Integer.MAX_VALUE);
    DefinitionView view =
        invocation
            .central()
            .definition(definition.kind(), definition.name(), version == null ? 0 : version);
    invocation.answer(view, () -> printText(view));
  }

  private void printText(DefinitionView view) {
    invocation.line(
        Escaping.text(
            "# version %d%s, by %s, %s"
                .formatted(
                    view.version(),
                    view.inForce() ? ", in force" : "",
                    view.author(),
                    view.appliedAt())));
    view.text().lines().forEach(line -> invocation.line(Escaping.text(line)));
  }

  @Command(
      name = "history",
      description = "Lists the versions of a definition with their changes, newest first.",
      footer = {"", "Example:", "  millrace definition history queue alert"})
  void history(@Mixin NamedDefinition definition) {
    List<DefinitionVersion> history =
        invocation.central().definitionHistory(definition.kind(), definition.name());
    invocation.answer(history, () -> history.forEach(this::printVersion));
  }

  private void printVersion(DefinitionVersion version) {
    String heading =
        "version %d  %s  %s%s"
            .formatted(
                version.version(),
                version.appliedAt(),
                version.author(),
                version.sameAs() == null ? "" : "  (same as version " + version.sameAs() + ")");
    invocation.line(invocation.palette().paint(Style.HEADING, Escaping.text(heading)));
    new ChangeLines(invocation).printDiff(version.diff());
  }

  @Command(
      name = "rollback",
      description = "Creates a new version with the content of an earlier one.",
      footer = {
        "",
        "Examples:",
        "  millrace definition rollback queue alert           to the previous version",
        "  millrace definition rollback queue alert --to 3 --dry-run",
        "",
        "A version that violates the current rules is refused. Running work keeps its version.",
        "A deleted definition is created again; 'millrace definition list --deleted' lists them."
      })
  void rollback(
      @Mixin NamedDefinition definition,
      @Option(
              names = "--to",
              paramLabel = "N",
              description = "Version to roll back to (default: the previous version).")
          Integer version,
      @Option(names = "--dry-run", description = "Print the changes without making them.")
          boolean dryRun) {
    OptionRefusal.outside("--to", version, 1, Integer.MAX_VALUE);
    ApplyChange change =
        invocation
            .central()
            .rollBack(definition.kind(), definition.name(), new RollbackRequest(version, dryRun));
    ChangeLines lines = new ChangeLines(invocation);
    invocation.answer(
        change,
        () -> {
          lines.print(change, dryRun);
          lines.dryRunNotice(dryRun);
        });
  }

  /** The arguments that name a definition. Filled by the parser. */
  private static final class NamedDefinition {
    @Parameters(index = "0", paramLabel = "KIND", description = "Kind: queue, task or job.")
    private String kind;

    @Parameters(index = "1", paramLabel = "NAME", description = "Name of the definition.")
    private String name;

    String kind() {
      return kind;
    }

    String name() {
      return name;
    }
  }

  /** Prints the changes of definitions. */
  static final class ChangeLines {
    private final Invocation invocation;

    ChangeLines(Invocation invocation) {
      this.invocation = invocation;
    }

    void print(ApplyChange change, boolean dryRun) {
      String action = words(change.action(), dryRun);
      String name = Escaping.text(change.kind() + "/" + change.name());
      String job = change.job() == null ? "" : ", submitted as job " + change.job();
      invocation.line(name + " " + action + " (version " + change.version() + ")" + job);
      // All of a new definition is new, and its file has just been written: shown with --dry-run.
      if (dryRun || change.action() != ApplyAction.CREATED) {
        printDiff(change.diff());
      }
    }

    private static String words(ApplyAction action, boolean dryRun) {
      return switch (action) {
        case CREATED -> dryRun ? "would be created" : "created";
        case CHANGED -> dryRun ? "would be changed" : "changed";
        case UNCHANGED -> "unchanged";
        case DELETED -> dryRun ? "would be deleted" : "is being deleted";
      };
    }

    void dryRunNotice(boolean dryRun) {
      if (dryRun) {
        invocation.note("dry run: nothing was changed");
      }
    }

    /** Removed and added lines, indented. */
    void printDiff(List<String> diff) {
      for (String line : diff) {
        String shown = invocation.palette().paint(style(line), Escaping.text(line));
        invocation.line("  " + shown);
      }
    }

    private static Style style(String line) {
      if (line.startsWith("+")) {
        return Style.GOOD;
      }
      return line.startsWith("-") ? Style.BAD : Style.PLAIN;
    }
  }
}

package io.millrace.cli.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.Names;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Licence;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace licence …}: cluster-wide consumables. */
@Command(name = "licence", description = "Shows and sets the number of licences in the cluster.")
public final class LicenceCommands extends CommandGroup {
  private LicenceCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(new CommandLine(new LicenceCommands(invocation)), "list set");
  }

  @Command(
      name = "list",
      description = "Lists the licences with their total, the number in use, and their users.",
      footer = {"", "Example:", "  millrace licence list"})
  void list() {
    List<Licence> listed = invocation.central().licences();
    invocation.list(
        listed,
        () -> table(listed),
        "no licences; create one with 'millrace licence set NAME --total N'");
  }

  private Table table(List<Licence> licences) {
    Table table =
        new Table(
            Column.left("NAME", 40),
            Column.right("TOTAL"),
            Column.right("USED"),
            Column.left("HELD BY", 60));
    for (Licence licence : licences) {
      table.row(
          licence.name(),
          licence.total(),
          used(licence),
          licence.holders().stream().map(AttemptId::toString).collect(Collectors.joining(" ")));
    }
    return table;
  }

  private static Cell used(Licence licence) {
    boolean all = licence.used() >= licence.total();
    return Cell.of(Figures.count(licence.used()), all ? Style.WARNING : Style.PLAIN);
  }

  @Command(
      name = "set",
      description =
          "Sets the total of a licence; licences in use stay in use. 0 removes one that is not in use.",
      footer = {
        "",
        "Examples:",
        "  millrace licence set solver --total 5",
        "  millrace licence set solver --total 0"
      })
  void set(
      @Parameters(paramLabel = "NAME", description = "Name of the licence, as used in --licence.")
          String name,
      @Option(
              names = "--total",
              required = true,
              paramLabel = "N",
              description = "Total number (required).")
          int total) {
    Names.require("NAME", name, ErrorCode.INVALID_REQUEST);
    OptionRefusal.outside("--total", total, 0, 1_000_000);
    Licence licence = invocation.central().license(name, total);
    invocation.report(licence, outcome(licence));
  }

  private static String outcome(Licence licence) {
    if (licence.total() == 0 && licence.used() == 0) {
      return "licence " + licence.name() + " removed";
    }
    return "licence %s: total %d, in use %d%s"
        .formatted(
            licence.name(),
            licence.total(),
            licence.used(),
            licence.total() == 0 ? "; repeat this to remove it once none is in use" : "");
  }
}

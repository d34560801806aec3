package io.millrace.cli.node;

import io.millrace.api.client.CentralClient;
import io.millrace.api.job.AttemptId;
import io.millrace.api.job.Licence;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Listing;
import io.millrace.cli.output.Cell;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Style;
import io.millrace.cli.output.Table;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

@Command(
    name = "list",
    description = "Lists the licences: how many there are, how many are in use, and by whom.",
    footer = {"", "Example:", "  millrace licence list"})
final class LicenceListCommand extends Listing<List<Licence>> {
  LicenceListCommand(Invocation invocation) {
    super(invocation, "no licences; make one with 'millrace licence set NAME --total N'");
  }

  @Override
  protected List<Licence> read(CentralClient central) {
    return central.licences();
  }

  @Override
  protected Table table(List<Licence> licences) {
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
}

package io.millrace.cli.node;

import io.millrace.api.client.CentralClient;
import io.millrace.api.job.Share;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Listing;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Figures;
import io.millrace.cli.output.Table;
import java.util.List;
import picocli.CommandLine.Command;

@Command(
    name = "list",
    description = "Lists the shares of the cluster: their weights, what waits and what runs.",
    footer = {"", "Example:", "  millrace share list"})
final class ShareListCommand extends Listing<List<Share>> {
  ShareListCommand(Invocation invocation) {
    super(invocation, "no shares yet; each owner of jobs has one");
  }

  @Override
  protected List<Share> read(CentralClient central) {
    return central.shares();
  }

  @Override
  protected Table table(List<Share> shares) {
    Table table =
        new Table(
            Column.left("NAME", 40),
            Column.right("WEIGHT"),
            Column.right("WAITING"),
            Column.right("RUNNING"),
            Column.right("STARTED"));
    for (Share share : shares) {
      table.row(
          share.name(),
          Figures.rate(share.weight()),
          share.waiting(),
          share.running(),
          share.started());
    }
    return table;
  }
}

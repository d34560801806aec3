package io.millrace.cli.task;

import io.millrace.api.client.CentralClient;
import io.millrace.api.partition.PartitionCycle;
import io.millrace.api.partition.PartitionGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Listing;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Table;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "cycles",
    description = {
      "Shows the last cycles of a group: how many resources each had, how many of them are",
      "recorded as polled, and how many were given to a second member."
    },
    footer = {"", "Example:", "  millrace partition cycles compute-h1-discovery"})
final class CyclesCommand extends Listing<List<PartitionCycle>> {
  private final Invocation invocation;

  @Parameters(paramLabel = "GROUP", description = "The group.")
  private String name;

  CyclesCommand(Invocation invocation) {
    super(invocation, "no cycles; one begins when a member asks for its 'next' with resources");
    this.invocation = invocation;
  }

  @Override
  protected List<PartitionCycle> read(CentralClient central) {
    PartitionGroup group = central.partitions().show(name);
    return group.cycles();
  }

  @Override
  protected Table table(List<PartitionCycle> cycles) {
    Table table =
        new Table(
            Column.right("CYCLE"),
            Column.right("BEGAN"),
            Column.right("EVERY"),
            Column.right("RESOURCES"),
            Column.right("DONE"),
            Column.right("AGAIN"));
    for (PartitionCycle cycle : cycles) {
      table.row(
          cycle.number(),
          Ages.since(cycle.begin(), invocation.now()),
          Ages.took(cycle.interval()),
          cycle.total(),
          cycle.done(),
          cycle.again());
    }
    return table;
  }
}

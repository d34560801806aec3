package io.millrace.cli.task;

import io.millrace.api.client.CentralClient;
import io.millrace.api.partition.PartitionGroup;
import io.millrace.api.partition.PartitionMember;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Listing;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Table;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

@Command(
    name = "list",
    description = "Lists the groups of programs that share resources, with who lives in each.",
    footer = {"", "Example:", "  millrace partition list"})
final class PartitionListCommand extends Listing<List<PartitionGroup>> {
  PartitionListCommand(Invocation invocation) {
    super(invocation, "no groups; one comes to be with the first program that joins it");
  }

  @Override
  protected List<PartitionGroup> read(CentralClient central) {
    return central.partitions().list();
  }

  @Override
  protected Table table(List<PartitionGroup> groups) {
    Table table =
        new Table(
            Column.left("GROUP", 40),
            Column.right("REVISION"),
            Column.right("LIVING"),
            Column.left("MEMBERS", 60));
    for (PartitionGroup group : groups) {
      table.row(
          group.name(),
          group.revision(),
          group.members().size(),
          group.members().stream().map(PartitionMember::name).collect(Collectors.joining(" ")));
    }
    return table;
  }
}

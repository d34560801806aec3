package io.millrace.cli.task;

import io.millrace.api.client.CentralClient;
import io.millrace.api.partition.PartitionGroup;
import io.millrace.api.partition.PartitionMember;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Listing;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Table;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description = "Shows a group's members: since when, and when they were last heard.",
    footer = {"", "Example:", "  millrace partition show compute-h1-discovery"})
final class PartitionShowCommand extends Listing<PartitionGroup> {
  private final Invocation invocation;

  @Parameters(paramLabel = "GROUP", description = "The group.")
  private String name;

  PartitionShowCommand(Invocation invocation) {
    super(invocation, "nobody lives in this group now");
    this.invocation = invocation;
  }

  @Override
  protected PartitionGroup read(CentralClient central) {
    return central.partitions().show(name);
  }

  @Override
  protected Table table(PartitionGroup group) {
    Instant now = invocation.now();
    Table table =
        new Table(
            Column.left("MEMBER", 40),
            Column.right("TERM"),
            Column.right("JOINED"),
            Column.right("HEARD"),
            Column.right("LOST AFTER"));
    for (PartitionMember member : group.members()) {
      table.row(
          member.name(),
          member.term(),
          Ages.since(member.joinedAt(), now),
          Ages.since(member.heardAt(), now),
          Ages.took(member.ttl()));
    }
    return table;
  }
}

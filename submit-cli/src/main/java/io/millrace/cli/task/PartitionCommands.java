package io.millrace.cli.task;

import io.millrace.api.partition.PartitionGroup;
import io.millrace.api.partition.PartitionGroup.PartitionCycle;
import io.millrace.api.partition.PartitionGroup.PartitionMember;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code millrace partition …}: groups of programs that share resources. */
@Command(
    name = "partition",
    description = "Shows groups of programs that share partitioned resources.")
public final class PartitionCommands extends CommandGroup {
  private PartitionCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(new CommandLine(new PartitionCommands(invocation)), "list show cycles");
  }

  @Command(
      name = "list",
      description = "Lists the groups with their members.",
      footer = {"", "Example:", "  millrace partition list"})
  void list() {
    List<PartitionGroup> listed = invocation.central().partitions().list();
    invocation.list(
        listed, () -> groups(listed), "no groups; a group is created when its first member joins");
  }

  private Table groups(List<PartitionGroup> groups) {
    Table table =
        new Table(
            Column.left("GROUP", 40),
            Column.right("REVISION"),
            Column.right("LIVING"),
            Column.left("MEMBERS", 60));
    for (PartitionGroup group : groups) {
      table.row(
          group.name(),
          String.valueOf(group.revision()),
          group.members().size(),
          group.members().stream().map(PartitionMember::name).collect(Collectors.joining(" ")));
    }
    return table;
  }

  @Command(
      name = "show",
      description = "Shows the members of a group with their join time and last heartbeat.",
      footer = {"", "Example:", "  millrace partition show compute-h1-discovery"})
  void show(@Parameters(paramLabel = "GROUP", description = "Name of the group.") String name) {
    PartitionGroup listed = invocation.central().partitions().show(name);
    invocation.list(listed, () -> members(listed), "this group has no members now");
  }

  private Table members(PartitionGroup group) {
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
          String.valueOf(member.term()),
          Ages.since(member.joinedAt(), now),
          Ages.since(member.heardAt(), now),
          Ages.took(member.ttl()));
    }
    return table;
  }

  @Command(
      name = "cycles",
      description = {
        "Shows the last cycles of a group: resources found, processed and reassigned."
      },
      footer = {"", "Example:", "  millrace partition cycles compute-h1-discovery"})
  void cycles(@Parameters(paramLabel = "GROUP", description = "Name of the group.") String name) {
    List<PartitionCycle> listed = invocation.central().partitions().show(name).cycles();
    invocation.list(
        listed,
        () -> cycleTable(listed),
        "no cycles; a cycle begins when a member requests its next resources");
  }

  private Table cycleTable(List<PartitionCycle> cycles) {
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
          String.valueOf(cycle.number()),
          Ages.since(cycle.begin(), invocation.now()),
          Ages.took(cycle.interval()),
          cycle.total(),
          cycle.done(),
          cycle.again());
    }
    return table;
  }
}

package io.millrace.cli.node;

import io.millrace.api.client.CentralClient;
import io.millrace.api.insight.Alert;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.queue.NodeLoad;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Listing;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Cell;
import io.millrace.cli.output.Column;
import io.millrace.cli.output.Style;
import io.millrace.cli.output.Table;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

@Command(
    name = "list",
    description = "Lists queue nodes and execution nodes with their state and load.",
    footer = {"", "Example:", "  millrace node list"})
final class ListCommand extends Listing<Nodes> {
  ListCommand(Invocation invocation) {
    super(invocation, "no nodes; start one with 'bin/millrace queue-node'");
  }

  @Override
  protected Nodes read(CentralClient central) {
    return Nodes.of(central.overview());
  }

  @Override
  protected Table table(Nodes nodes) {
    Table table =
        new Table(
            Column.left("NAME", 24),
            Column.left("KIND"),
            Column.left("STATE"),
            Column.right("LOAD"),
            Column.right("CPU"),
            Column.right("STORE"),
            Column.right("DISK"),
            Column.right("POINTS"),
            Column.right("SEGMENTS"),
            Column.right("EVENTS"),
            Column.right("SLOTS"),
            Column.right("CPUS"),
            Column.right("MEMORY"),
            Column.right("HEARD"),
            Column.left("ALERTS"));
    nodes.queueNodes().forEach(node -> table.row(row(nodes, node)));
    nodes.executionNodes().forEach(node -> table.row(row(nodes, node)));
    return table;
  }

  private static Object[] row(Nodes nodes, QueueNodeView node) {
    NodeLoad load = node.load();
    return new Object[] {
      node.name(),
      "queue",
      NodeFormatter.state(node),
      NodeFormatter.signal(load == null ? null : load.load()),
      NodeFormatter.signal(load == null ? null : load.cpu()),
      NodeFormatter.signal(load == null ? null : load.store()),
      NodeFormatter.signal(load == null ? null : load.disk()),
      nodes.pointsOf(node.name()),
      node.segments().size(),
      node.unfinished(),
      "-",
      "-",
      "-",
      Ages.took(node.silentSeconds()),
      alerts(nodes, node.name())
    };
  }

  private static Object[] row(Nodes nodes, ExecutionNodeView node) {
    return new Object[] {
      node.name(),
      "execution",
      NodeFormatter.state(node),
      "-",
      "-",
      "-",
      "-",
      "-",
      "-",
      "-",
      node.usedSlots() + "/" + node.capacity().slots(),
      Capacities.cpus(node),
      Capacities.memory(node),
      Ages.took(node.silentSeconds()),
      alerts(nodes, node.name())
    };
  }

  private static Cell alerts(Nodes nodes, String name) {
    return Cell.of(
        nodes.alertsAbout(name).stream().map(Alert::code).collect(Collectors.joining(" ")),
        Style.BAD);
  }
}

package io.millrace.cli.node;

import io.millrace.api.node.NodeIdentityView;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code millrace identity …}: the identities of nodes. */
@Command(name = "identity", description = "Shows and withdraws the identities of nodes.")
public final class IdentityCommands extends CommandGroup {
  private IdentityCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(new CommandLine(new IdentityCommands(invocation)), "list withdraw");
  }

  @Command(
      name = "list",
      description = "Lists the nodes that have joined, with their roles and IDs.",
      footer = {"", "Example:", "  millrace identity list"})
  void list() {
    List<NodeIdentityView> listed = invocation.central().identities();
    invocation.list(
        listed,
        () -> table(listed),
        "no node has joined; create a token with 'millrace token join --role ROLE'");
  }

  private static Table table(List<NodeIdentityView> identities) {
    Table table =
        new Table(
            Column.left("NAME", 40),
            Column.left("ROLE"),
            Column.left("ID"),
            Column.left("JOINED"),
            Column.left("BY", 30));
    for (NodeIdentityView one : identities) {
      table.row(one.name(), one.role(), one.id().toString(), one.joinedAt(), one.madeBy());
    }
    return table;
  }

  @Command(
      name = "withdraw",
      description =
          "Withdraws the identity of a node: all servers refuse its calls within seconds.",
      footer = {
        "",
        "Example:",
        "  millrace identity withdraw e3",
        "",
        "This cannot be undone; the machine can join again with a new token."
      })
  void withdraw(@Parameters(paramLabel = "NAME", description = "Name of the node.") String name) {
    invocation.central().withdrawIdentity(name);
    invocation.note("the identity of %s is withdrawn".formatted(name));
  }
}

package io.millrace.cli.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.node.NodeIdentityView;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Confirmation;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Column;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
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
      footer = {
        "",
        "Examples:",
        "  millrace identity list",
        "  millrace identity list --all",
      })
  void list(
      @Option(
              names = "--all",
              description = "Also those that were withdrawn, with when and by whom.")
          boolean all) {
    List<NodeIdentityView> listed =
        all ? invocation.central().allIdentities() : invocation.central().identities();
    invocation.list(
        listed,
        () -> table(listed, all),
        "no node has joined; create a token with 'millrace token join --role ROLE'");
  }

  private static Table table(List<NodeIdentityView> identities, boolean all) {
    Column name = Column.left("NAME", 40);
    Column role = Column.left("ROLE");
    Column id = Column.left("ID");
    Column joined = Column.left("JOINED");
    Column by = Column.left("BY", 30);
    if (!all) {
      Table table = new Table(name, role, id, joined, by);
      identities.forEach(
          one ->
              table.row(one.name(), one.role(), one.id().toString(), one.joinedAt(), one.madeBy()));
      return table;
    }
    Table table =
        new Table(
            name, role, id, joined, by, Column.left("WITHDRAWN"), Column.left("WITHDRAWN BY", 30));
    identities.forEach(
        one ->
            table.row(
                one.name(),
                one.role(),
                one.id().toString(),
                one.joinedAt(),
                one.madeBy(),
                one.withdrawnAt(),
                one.withdrawnBy()));
    return table;
  }

  @Command(
      name = "withdraw",
      description =
          "Withdraws the identity of a node: all servers refuse its calls within seconds.",
      footer = {
        "",
        "Examples:",
        "  millrace identity withdraw e3",
        "  millrace identity withdraw e3 --yes",
        "",
        "Jobs of an execution node run again on others; their processes on the node are not stopped.",
        "Events that a queue node holds are no longer delivered; 'millrace queue-node rescue' sends",
        "them to the cluster. An identity stays withdrawn. To use the machine again, delete the files",
        "node-id and node.identity there, and join with a new token ('millrace token join'); on a",
        "machine with the cluster's key (cluster.key), restart it instead of joining."
      })
  void withdraw(
      @Parameters(paramLabel = "NAME", description = "Name of the node.") String name,
      @Option(names = "--yes", description = "Do not ask for confirmation.") boolean yes)
      throws IOException {
    NodeIdentityView node =
        invocation.central().identities().stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow(() -> unknown(name));
    if (!yes) {
      new Confirmation(invocation)
          .require(
              "permanently withdraws the identity of %s %s: all servers refuse its calls, and %s"
                  .formatted(node.role(), name, effect(node)),
              "the name of the node",
              name);
    }
    invocation.central().withdrawIdentity(name);
    invocation.note(
        "the identity of %s %s is withdrawn: %s".formatted(node.role(), name, effect(node)));
    invocation.note(
        "to use the machine again, delete node-id and node.identity there and join with a new token ('millrace token join --role %s'); on a machine with the cluster's key (cluster.key), restart it instead of joining"
            .formatted(node.role()));
  }

  private static MillraceException unknown(String name) {
    return new MillraceException(
        ErrorCode.UNKNOWN_NODE,
        "no node with a valid identity has the name %s; 'millrace identity list --all' shows all identities"
            .formatted(name));
  }

  private static String effect(NodeIdentityView node) {
    return switch (node.role()) {
      case "execution-node" ->
          "its jobs run again on other nodes (their processes on the machine are not stopped; stop them there)";
      case "queue-node" ->
          "the events that it holds are no longer delivered ('millrace queue-node rescue' on its data directory sends them to the cluster again)";
      default -> "producers must use another load balancer";
    };
  }
}

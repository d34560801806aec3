package io.millrace.cli.node;

import io.millrace.api.client.CentralClient;
import io.millrace.api.insight.Overview.Alert;
import io.millrace.api.node.ExecutionNodeView;
import io.millrace.api.node.NodeCommand;
import io.millrace.api.queue.QueueNodeReport.NodeLoad;
import io.millrace.api.queue.QueueNodeView;
import io.millrace.api.weight.BalancingDecisionView;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.output.Ages;
import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace node …}: nodes, their drains and their maintenance. */
@Command(name = "node", description = "Shows nodes, drains them and announces maintenance.")
public final class NodeCommands extends CommandGroup {
  private static final int DECISIONS = 10;

  private NodeCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(
        new CommandLine(new NodeCommands(invocation)),
        "list show drain undrain maintenance allow forget decisions");
  }

  @Command(
      name = "list",
      description = "Lists queue nodes and execution nodes with their state and load.",
      footer = {"", "Example:", "  millrace node list"})
  void list() {
    Nodes listed = Nodes.of(invocation.central().overview());
    invocation.list(
        listed, () -> table(listed), "no nodes; start one with 'bin/millrace queue-node'");
  }

  private Table table(Nodes nodes) {
    Table table =
        new Table(
            Column.left("NAME", 24),
            Column.left("KIND"),
            Column.left("STATUS"),
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
      NodeFormatter.status(node.status()),
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
      NodeFormatter.status(node.status()),
      NodeFormatter.state(node),
      "-",
      "-",
      "-",
      "-",
      "-",
      "-",
      "-",
      node.usedSlots() + "/" + node.capacity().slots(),
      NodeFormatter.cpus(node),
      NodeFormatter.memory(node),
      Ages.took(node.silentSeconds()),
      alerts(nodes, node.name())
    };
  }

  private static Cell alerts(Nodes nodes, String name) {
    return Cell.of(
        nodes.alertsAbout(name).stream().map(Alert::code).collect(Collectors.joining(" ")),
        Style.BAD);
  }

  @Command(
      name = "show",
      description = "Shows the details of a node: state and reason, load, segments or free slots.",
      footer = {"", "Example:", "  millrace node show q1"})
  void show(@Parameters(paramLabel = "NAME", description = "Name of the node.") String name) {
    Nodes nodes = Nodes.of(invocation.central().overview());
    Optional<QueueNodeView> queueNode = nodes.queueNode(name);
    if (queueNode.isPresent()) {
      QueueNodeView node = queueNode.get();
      invocation.show(node, () -> description(nodes).lines(node, latestDecisions(name)));
    } else {
      ExecutionNodeView node = nodes.executionNode(name).orElseThrow(() -> Nodes.unknown(name));
      invocation.show(node, () -> description(nodes).lines(node));
    }
  }

  private List<BalancingDecisionView> latestDecisions(String name) {
    return invocation.central().balancingDecisions(null, name, DECISIONS);
  }

  private NodeDescription description(Nodes nodes) {
    return new NodeDescription(nodes, invocation.now(), invocation.palette());
  }

  @Command(
      name = "drain",
      description = {
        "Drains a node; 'node undrain' ends this.",
        "A queue node moves all its weight away; an execution node finishes its jobs and"
            + " takes no new ones."
      },
      footer = {
        "",
        "Examples:",
        "  millrace node drain q3 --reason 'new disk'",
        "  millrace node drain e1 --deadline 10m      jobs still running then are moved"
      })
  void drain(
      @Mixin NodeSelection selection,
      @Option(
              names = "--deadline",
              paramLabel = "TIME",
              description =
                  "Time after which jobs that are still running are stopped and run on"
                      + " another node.")
          Duration deadline,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "Reason, shown to other users.")
          String reason) {
    OptionRefusal.unless(
        deadline == null || !deadline.isNegative(),
        "--deadline",
        "use a duration of 0s or more, such as 10m");
    CentralClient central = invocation.central();
    String name = selection.name();
    selection.run(
        invocation,
        () -> {
          OptionRefusal.unless(
              deadline == null,
              "--deadline",
              "not applicable: %s is a queue node, which drains until it is empty".formatted(name));
          return central.drain(name, new NodeCommand(null, reason));
        },
        () -> central.drainExecution(name, new NodeCommand(deadline, reason)));
  }

  @Command(
      name = "undrain",
      description = "Ends draining or maintenance; the node takes weight or jobs again.",
      footer = {"", "Example:", "  millrace node undrain q3"})
  void undrain(@Mixin NodeSelection selection) {
    CentralClient central = invocation.central();
    String name = selection.name();
    selection.run(invocation, () -> central.undrain(name), () -> central.undrainExecution(name));
  }

  @Command(
      name = "allow",
      description = "Ends the denial of a definition or a user to an execution node.",
      footer = {
        "",
        "Examples:",
        "  millrace node allow e3 ann/import",
        "  millrace node allow e3 user:bob",
        "",
        "The failures that led to the denial are forgotten. 'node show' lists what is denied."
      })
  void allow(
      @Parameters(index = "0", paramLabel = "NAME", description = "Name of the execution node.")
          String name,
      @Parameters(
              index = "1",
              paramLabel = "DEFINITION",
              description = "Definition or user, as 'node show' writes it.")
          String definition) {
    ExecutionNodeView node = invocation.central().allow(name, definition);
    invocation.report(node, "node %s takes jobs of %s again".formatted(name, definition));
  }

  @Command(
      name = "maintenance",
      description = {
        "Announces that a node will be unavailable for a limited time.",
        "A queue node keeps its weight; an execution node takes no new jobs and keeps its"
            + " running ones."
      },
      footer = {
        "",
        "Examples:",
        "  millrace node maintenance q3 --for 5m --reason 'kernel update'",
        "  millrace node maintenance e1 --for 2m"
      })
  void maintenance(
      @Mixin NodeSelection selection,
      @Option(
              names = "--for",
              required = true,
              paramLabel = "TIME",
              description =
                  "Duration (required), such as 5m; after that, the node may be declared lost.")
          Duration duration,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "Reason, shown to other users.")
          String reason) {
    OptionRefusal.unless(
        !duration.isZero() && !duration.isNegative(),
        "--for",
        "use a duration above 0, such as 5m");
    CentralClient central = invocation.central();
    String name = selection.name();
    NodeCommand command = new NodeCommand(duration, reason);
    selection.run(
        invocation,
        () -> central.maintain(name, command),
        () -> central.maintainExecution(name, command));
  }

  @Command(
      name = "forget",
      description = "Removes a lost queue node from the list.",
      footer = {"", "Example:", "  millrace node forget q3"})
  void forget(
      @Parameters(paramLabel = "NAME", description = "Name of the queue node.") String name,
      @Option(
              names = "--force",
              description = "Also when the node held events, which are then lost.")
          boolean force) {
    invocation.central().forget(name, force);
    invocation.report(Map.of("forgotten", name), "queue node " + name + " removed");
  }

  @Command(
      name = "decisions",
      description = "Lists balancing decisions with their reasons, newest first.",
      footer = {"", "Examples:", "  millrace node decisions", "  millrace node decisions q1"})
  void decisions(
      @Parameters(
              paramLabel = "NAME",
              arity = "0..1",
              description = "Only decisions that this node made or that moved its points.")
          String node,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "Maximum number of rows (default: ${DEFAULT-VALUE}).")
          int limit) {
    OptionRefusal.outside("--limit", limit, 1, 1000);
    List<BalancingDecisionView> decisions =
        invocation.central().balancingDecisions(null, node, limit);
    if (decisions.isEmpty() && node != null) {
      // A node that does not exist is an error; a new one has made none yet.
      invocation.central().queueNode(node);
    }
    DecisionTable.print(invocation, decisions);
  }

  /**
   * What the commands that change a node's status have in common: which node is meant, and telling
   * what became of it. Filled by the parser.
   */
  private static final class NodeSelection {
    @Parameters(paramLabel = "NAME", description = "Name of the node.")
    private String name;

    @Option(
        names = "--kind",
        paramLabel = "KIND",
        description =
            "Kind of the node, queue or execution, if both kinds have a node of that name.")
    private TargetKind kind;

    String name() {
      return name;
    }

    /** The kind of the node with this name, as one central manager sees it. */
    TargetKind kind(Invocation invocation) {
      if (kind != null) {
        return kind;
      }
      Nodes nodes = Nodes.of(invocation.central().overview());
      boolean queue = nodes.queueNode(name).isPresent();
      boolean execution = nodes.executionNode(name).isPresent();
      if (!queue && !execution) {
        throw Nodes.unknown(name);
      }
      OptionRefusal.unless(
          !(queue && execution),
          "--kind",
          "there is both a queue node and an execution node named %s; specify the kind"
              .formatted(name));
      return queue ? TargetKind.QUEUE : TargetKind.EXECUTION;
    }

    /** Runs the action for the kind of the node and prints the result. */
    void run(
        Invocation invocation,
        Supplier<QueueNodeView> queue,
        Supplier<ExecutionNodeView> execution) {
      if (kind(invocation) == TargetKind.QUEUE) {
        QueueNodeView node = queue.get();
        print(invocation, node, "queue", node.name(), NodeFormatter.status(node, invocation.now()));
      } else {
        ExecutionNodeView node = execution.get();
        print(
            invocation,
            node,
            "execution",
            node.name(),
            NodeFormatter.status(node, invocation.now()));
      }
    }

    private static void print(
        Invocation invocation, Object node, String kind, String name, String status) {
      invocation.report(node, kind + " node " + name + " is " + status);
    }

    /** Kind of a node, in case both kinds have one of that name. */
    private enum TargetKind {
      QUEUE,
      EXECUTION
    }
  }
}

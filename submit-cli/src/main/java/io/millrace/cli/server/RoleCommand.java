package io.millrace.cli.server;

import io.millrace.api.client.HttpTransport;
import io.millrace.cli.invocation.ExitCode;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.server.EmbeddedCluster.Deferred;
import io.millrace.cli.server.RunningService.StopSignals;
import io.millrace.executor.node.ExecutorNode;
import io.millrace.executor.node.ExecutorNodeSettings;
import io.millrace.loadbalancer.node.LoadBalancer;
import io.millrace.loadbalancer.node.LoadBalancerSettings;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.config.ConfigurationLoader;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.lifecycle.ServerLogging;
import io.millrace.platform.lifecycle.Service;
import io.millrace.platform.lifecycle.ServiceGroup;
import io.millrace.platform.membership.ClusterView;
import io.millrace.platform.membership.HazelcastClusterView;
import io.millrace.queuenode.node.QueueNode;
import io.millrace.queuenode.node.QueueNodeSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace manager|queue-node|load-balancer|executor-node}. */
@Command
public final class RoleCommand implements Callable<Integer> {
  private final Invocation invocation;
  private final ServerRole role;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration file (YAML, required); see conf/cluster/ for examples.")
  private Path config;

  @Spec private CommandSpec spec;

  private RoleCommand(Invocation invocation, ServerRole role) {
    this.invocation = invocation;
    this.role = role;
  }

  /** What creates the command of each role, by the command's name. */
  public static Map<String, Supplier<?>> all(Invocation invocation) {
    Map<String, Supplier<?>> commands = new LinkedHashMap<>();
    for (ServerRole role : ServerRole.values()) {
      commands.put(role.verb(), () -> create(invocation, role));
    }
    return commands;
  }

  private static CommandLine create(Invocation invocation, ServerRole role) {
    CommandLine command = new CommandLine(new RoleCommand(invocation, role));
    if (role == ServerRole.QUEUE_NODE) {
      command.addSubcommand(new RescueCommand(invocation));
    }
    command.setCommandName(role.verb());
    command
        .getCommandSpec()
        .usageMessage()
        .description(role.description())
        .footer(
            "",
            "Example:",
            "  millrace " + role.verb() + " --config conf/cluster/" + example(role) + ".yaml");
    return command;
  }

  private static String example(ServerRole role) {
    boolean several = role == ServerRole.QUEUE_NODE || role == ServerRole.EXECUTOR_NODE;
    return several ? role.verb() + "-1" : role.verb();
  }

  @Override
  public Integer call() throws Exception {
    // Not marked as required, because subcommands do not need it.
    if (config == null) {
      throw new ParameterException(spec.commandLine(), "Missing required option: '--config=FILE'");
    }
    return new RoleRun(invocation, role, config).run();
  }

  /** One run of a role as a separate process. */
  private static final class RoleRun {
    private final Invocation invocation;
    private final ServerRole role;
    private final Path config;
    private final ConfigurationLoader loader = new ConfigurationLoader();

    RoleRun(Invocation invocation, ServerRole role, Path config) {
      this.invocation = invocation;
      this.role = role;
      this.config = config;
    }

    private record Named(String name, Service service, Supplier<URI> address) {}

    /** Blocks until the stop; returns the exit code. */
    int run() throws InterruptedException {
      try (StopSignals stop = StopSignals.listen()) {
        return run(stop);
      }
    }

    private int run(StopSignals stop) throws InterruptedException {
      Named named = named();
      try (RunningService running = RunningService.start(named.service(), invocation.terminal())) {
        invocation.line(
            "%s %s answers at %s".formatted(role.verb(), named.name(), named.address().get()));
        stop.await();
        running.announceStop();
        return ExitCode.OK.code();
      }
    }

    private Named named() {
      return switch (role) {
        case MANAGER -> manager(loader.load(config, CentralSettings.class));
        case QUEUE_NODE -> queueNode(loader.load(config, QueueNodeSettings.class));
        case LOAD_BALANCER -> loadBalancer(loader.load(config, LoadBalancerSettings.class));
        case EXECUTOR_NODE -> executorNode(loader.load(config, ExecutorNodeSettings.class));
      };
    }

    private Named manager(CentralSettings settings) {
      settings.requireSharedKeys();
      logTo(settings.dataDirectory(), settings.name());
      CentralManager manager = new CentralManager(settings, clock());
      return new Named(settings.name(), manager, manager::address);
    }

    private Named queueNode(QueueNodeSettings settings) {
      logTo(settings.dataDirectory(), settings.name());
      ClusterView view = new HazelcastClusterView(settings.membership(), clock());
      Deferred<QueueNode> node =
          new Deferred<>(() -> new QueueNode(settings, clock(), transport(), view));
      return new Named(
          settings.name(), new ServiceGroup(List.of(view, node)), () -> node.get().address());
    }

    private Named loadBalancer(LoadBalancerSettings settings) {
      logTo(settings.dataDirectory(), settings.name());
      ClusterView view = new HazelcastClusterView(settings.membership(), clock());
      LoadBalancer balancer = new LoadBalancer(settings, clock(), transport(), view);
      return new Named(
          settings.name(), new ServiceGroup(List.of(view, balancer)), balancer::address);
    }

    private Named executorNode(ExecutorNodeSettings settings) {
      settings.prepareFolder();
      logTo(settings.dataDirectory(), settings.name());
      ExecutorNode node =
          new ExecutorNode(settings, EmbeddedCluster.surroundings(transport(), clock()));
      return new Named(settings.name(), node, node::address);
    }

    private static void logTo(Path dataDirectory, String name) {
      ServerLogging.configure(dataDirectory.resolve("logs"), name, "INFO");
    }

    private Clock clock() {
      return invocation.clock();
    }

    private static HttpTransport transport() {
      return new JdkTransport();
    }
  }

  /** The roles that run as separate processes. */
  enum ServerRole {
    MANAGER("manager", "Runs a central manager: stores and places jobs, serves API and dashboard."),
    QUEUE_NODE("queue-node", "Runs a queue node: stores segments of queues."),
    LOAD_BALANCER(
        "load-balancer", "Runs a load balancer: distributes events over segments by weight."),
    EXECUTOR_NODE("executor-node", "Runs an execution node: supervises jobs in slots.");

    private final String verb;
    private final String description;

    ServerRole(String verb, String description) {
      this.verb = verb;
      this.description = description;
    }

    /** The command's name. */
    String verb() {
      return verb;
    }

    String description() {
      return description;
    }
  }
}

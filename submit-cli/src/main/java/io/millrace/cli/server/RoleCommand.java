package io.millrace.cli.server;

import io.millrace.cli.invocation.Invocation;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
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
      description = "Its configuration (YAML); conf/cluster/ holds examples.")
  private Path config;

  @Spec private CommandSpec spec;

  private RoleCommand(Invocation invocation, ServerRole role) {
    this.invocation = invocation;
    this.role = role;
  }

  /** A command for each role. */
  public static List<CommandLine> all(Invocation invocation) {
    return Arrays.stream(ServerRole.values()).map(role -> create(invocation, role)).toList();
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
    // Not marked as required: its subcommands go without.
    if (config == null) {
      throw new ParameterException(spec.commandLine(), "Missing required option: '--config=FILE'");
    }
    return new RoleRun(invocation, role, config).run();
  }
}

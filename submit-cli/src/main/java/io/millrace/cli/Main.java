package io.millrace.cli;

import io.millrace.api.client.UrlTransport;
import io.millrace.cli.backup.BackupCommand;
import io.millrace.cli.backup.RestoreCommand;
import io.millrace.cli.bench.BenchCommands;
import io.millrace.cli.definition.ApplyCommand;
import io.millrace.cli.definition.CheckCommand;
import io.millrace.cli.definition.DefinitionCommands;
import io.millrace.cli.definition.DeleteCommand;
import io.millrace.cli.invocation.Connection.LoginLink;
import io.millrace.cli.invocation.Converters;
import io.millrace.cli.invocation.Failures;
import io.millrace.cli.invocation.GlobalOptions;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.job.JobCommands;
import io.millrace.cli.job.SubmitCommand;
import io.millrace.cli.job.UsageCommand;
import io.millrace.cli.node.IdentityCommands;
import io.millrace.cli.node.JoinCommand;
import io.millrace.cli.node.LicenceCommands;
import io.millrace.cli.node.NodeCommands;
import io.millrace.cli.node.ProblemsCommand;
import io.millrace.cli.node.ShareCommands;
import io.millrace.cli.node.TokenCommands;
import io.millrace.cli.output.StandardOutput;
import io.millrace.cli.output.Terminal;
import io.millrace.cli.queue.QueueCommands;
import io.millrace.cli.server.RoleCommand;
import io.millrace.cli.server.UpCommand;
import io.millrace.cli.session.SessionCommands;
import io.millrace.cli.simulate.SimulateCommand;
import io.millrace.cli.task.PartitionCommands;
import io.millrace.cli.task.TaskCommands;
import io.millrace.cli.workflow.WorkflowCommands;
import io.millrace.platform.clock.SystemClock;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code millrace} command. */
@Command(
    name = "millrace",
    description = "Event queues, adaptive workers and supervised jobs.",
    synopsisSubcommandLabel = "COMMAND",
    versionProvider = Main.VersionText.class,
    footer = {
      "",
      "First steps:",
      "  millrace up                            start a cluster on this machine",
      "  millrace submit --wait -- echo hello   run a job",
      "  millrace dashboard                     print a login link for the dashboard",
      "",
      "Exit codes: 0 success, 1 failure, 2 usage, 3 not found, 4 not allowed, 5 server"
          + " unreachable,",
      "6 conflict, 7 timed out. See 'millrace COMMAND --help'."
    })
public final class Main implements Runnable {
  private static final String COMPLETION = "completion";
  private static final String HELP = "help";

  @Mixin
  @SuppressWarnings("UnusedVariable") // the parser fills it
  private final GlobalOptions options;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Print the version.")
  @SuppressWarnings("UnusedVariable") // the parser fills it
  private boolean version;

  @Spec private CommandSpec spec;

  private Main(Invocation invocation) {
    this.options = invocation.options();
  }

  /** Runs one command and exits with its code. */
  public static void main(String[] arguments) {
    StandardOutput output = new StandardOutput(new FileOutputStream(FileDescriptor.out));
    Terminal terminal =
        new Terminal(
            System.in,
            stream(output),
            stream(new FileOutputStream(FileDescriptor.err)),
            Boolean.getBoolean("millrace.terminal.out"),
            Boolean.getBoolean("millrace.terminal.err"));
    Invocation invocation =
        new Invocation(terminal, System.getenv(), new UrlTransport(), new SystemClock());
    int code = run(invocation, arguments);
    terminal.out().flush();
    code = output.exitCode(code, terminal.err());
    terminal.err().flush();
    System.exit(code);
  }

  /** Runs one command; returns its exit code. */
  public static int run(Invocation invocation, String... arguments) {
    Map<String, Supplier<?>> commands = commands(invocation);
    String first = arguments.length == 0 ? "" : arguments[0];
    if (commands.containsKey(first) && !Set.of(COMPLETION, HELP).contains(first)) {
      // Building the parsers of all commands takes longer than the rest of a command's start.
      commands.keySet().retainAll(Set.of(first));
    }
    return commandLine(invocation, commands).execute(arguments);
  }

  /** The command with all its subcommands. */
  public static CommandLine commandLine(Invocation invocation) {
    return commandLine(invocation, commands(invocation));
  }

  /** What creates each subcommand, by its name and in the order of the help. */
  private static Map<String, Supplier<?>> commands(Invocation invocation) {
    Map<String, Supplier<?>> commands = new LinkedHashMap<>();
    commands.put("up", () -> new UpCommand(invocation));
    commands.putAll(RoleCommand.all(invocation));
    commands.put("apply", () -> new ApplyCommand(invocation));
    commands.put("delete", () -> new DeleteCommand(invocation));
    commands.put("check", () -> new CheckCommand(invocation));
    commands.put("definition", () -> DefinitionCommands.create(invocation));
    commands.put("queue", () -> QueueCommands.create(invocation));
    commands.put("session", () -> SessionCommands.create(invocation));
    commands.put("task", () -> TaskCommands.create(invocation));
    commands.put(
        "submit", () -> new CommandLine(new SubmitCommand(invocation)).setStopAtPositional(true));
    commands.put("job", () -> JobCommands.create(invocation));
    commands.put("workflow", () -> WorkflowCommands.create(invocation));
    commands.put("node", () -> NodeCommands.create(invocation));
    commands.put("share", () -> ShareCommands.create(invocation));
    commands.put("licence", () -> LicenceCommands.create(invocation));
    commands.put("partition", () -> PartitionCommands.create(invocation));
    commands.put("backup", () -> BackupCommand.create(invocation));
    commands.put("restore", () -> new RestoreCommand(invocation));
    commands.put("problems", () -> new ProblemsCommand(invocation));
    commands.put("usage", () -> new UsageCommand(invocation));
    commands.put("join", () -> new JoinCommand(invocation));
    commands.put("token", () -> TokenCommands.create(invocation));
    commands.put("identity", () -> IdentityCommands.create(invocation));
    commands.put("bench", () -> BenchCommands.create(invocation));
    commands.put("simulate", () -> SimulateCommand.create(invocation));
    commands.put("dashboard", () -> new DashboardCommand(invocation));
    commands.put(COMPLETION, () -> new CompletionCommand(invocation));
    commands.put("version", () -> new VersionCommand(invocation));
    commands.put(HELP, HelpCommand::new);
    return commands;
  }

  private static CommandLine commandLine(
      Invocation invocation, Map<String, Supplier<?>> subcommands) {
    Failures failures = new Failures(invocation, () -> commandLine(invocation));
    CommandLine root = new CommandLine(new Main(invocation));
    subcommands.forEach((name, command) -> root.addSubcommand(name, command.get()));
    invocation.options().addDataDirectory(root);
    shortenSynopsis(root);
    return Converters.register(root, invocation.clock())
        .setCaseInsensitiveEnumValuesAllowed(true)
        // Words of commands are passed verbatim, those that begin with @ as well.
        .setExpandAtFiles(false)
        .setUsageHelpWidth(100)
        .setOut(writer(invocation.terminal().out()))
        .setErr(writer(invocation.terminal().err()))
        .setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures);
  }

  private static void shortenSynopsis(CommandLine command) {
    command.getCommandSpec().usageMessage().abbreviateSynopsis(true).sortOptions(false);
    command.getSubcommands().values().forEach(Main::shortenSynopsis);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given");
  }

  private static String version() {
    String packaged = Main.class.getPackage().getImplementationVersion();
    return packaged == null ? "unpackaged" : packaged;
  }

  private static String versionLine() {
    return "millrace " + version() + " (Java " + System.getProperty("java.version") + ")";
  }

  private static java.io.PrintWriter writer(PrintStream stream) {
    return new java.io.PrintWriter(stream, true, StandardCharsets.UTF_8);
  }

  private static PrintStream stream(OutputStream target) {
    return new PrintStream(new BufferedOutputStream(target, 8192), true, StandardCharsets.UTF_8);
  }

  @Command(
      name = COMPLETION,
      description = "Prints a completion script for bash and zsh.",
      footer = {"", "Example:", "  source <(millrace completion)"})
  private static final class CompletionCommand implements Callable<Integer> {
    private final Invocation invocation;

    @Spec private CommandSpec spec;

    CompletionCommand(Invocation invocation) {
      this.invocation = invocation;
    }

    @Override
    public Integer call() {
      invocation.line(AutoComplete.bash("millrace", spec.root().commandLine()));
      return 0;
    }
  }

  @Command(
      name = "dashboard",
      description = "Prints a one-time login link for the dashboard.",
      footer = {"", "Example:", "  xdg-open \"$(millrace dashboard)\""})
  private static final class DashboardCommand implements Callable<Integer> {
    private final Invocation invocation;

    DashboardCommand(Invocation invocation) {
      this.invocation = invocation;
    }

    @Override
    public Integer call() {
      LoginLink link = LoginLink.create(invocation.connection().api());
      if (invocation.json()) {
        invocation.terminal().json(link);
      } else {
        invocation.line(link.url());
        invocation.note("the link is valid once, for ten minutes");
      }
      return 0;
    }
  }

  @Command(name = "version", description = "Prints the version.")
  private static final class VersionCommand implements Callable<Integer> {
    private final Invocation invocation;

    VersionCommand(Invocation invocation) {
      this.invocation = invocation;
    }

    @Override
    public Integer call() {
      invocation.report(
          Map.of("version", version(), "java", System.getProperty("java.version")), versionLine());
      return 0;
    }
  }

  @Command(
      name = HELP,
      description = "Shows the help of a command.",
      footer = {"", "Examples:", "  millrace help", "  millrace help queue send"})
  private static final class HelpCommand implements Callable<Integer> {
    @Parameters(
        paramLabel = "COMMAND",
        arity = "0..*",
        description = "The command, such as queue send.")
    private List<String> words = List.of();

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      CommandLine shown = spec.root().commandLine();
      for (String word : words) {
        CommandLine below = shown.getSubcommands().get(word);
        if (below == null) {
          throw new ParameterException(shown, "unknown command '" + word + "'");
        }
        shown = below;
      }
      shown.usage(shown.getOut());
      return 0;
    }
  }

  /** What {@code --version} prints. */
  static final class VersionText implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {versionLine()};
    }
  }
}

package io.millrace.cli.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Names;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.node.JoinToken.JoinAnswer;
import io.millrace.api.node.JoinToken.JoinRequest;
import io.millrace.cli.invocation.Connection;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.cli.invocation.Targeting.Target;
import io.millrace.cli.invocation.TokenFile;
import io.millrace.cli.node.JoinedFiles.NodeConfiguration;
import io.millrace.cli.output.ShellQuoting;
import io.millrace.platform.membership.MembershipSettings;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace join}. */
@Command(
    name = "join",
    description = "Joins this machine to a cluster as a node, using a one-time token.",
    footer = {
      "",
      "Examples:",
      "  millrace join http://10.0.0.1:7700 --role execution-node --token-file e3.token",
      "  millrace join 10.0.0.1:7700 --role execution-node --token-file e3.token --run-as jobs",
      "  millrace join 10.0.0.1:7700 --role queue-node --token-file q3.token --data /srv/q3 --start",
      "",
      "'millrace token join' creates the token. The written files are readable by their owner only.",
      "A data directory that an earlier version has used keeps its content and its ID; specify the",
      "same --data as then, or the data directory itself. If the answer is lost, repeat the command."
    })
public final class JoinCommand implements Callable<Integer> {
  private static final int SERVER_FAILURES = 500;

  private final Invocation invocation;

  @Parameters(paramLabel = "ADDRESS", description = "Address of a central manager.")
  private URI address;

  @Option(
      names = "--role",
      required = true,
      paramLabel = "ROLE",
      converter = JoinRole.Reader.class,
      description = "Role: execution-node, queue-node or load-balancer (required).")
  private JoinRole role;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Node name, unique in the cluster (default: the host name).")
  private String name;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Directory of the node's files (default: ~/.millrace/NAME; /var/lib/millrace/NAME for an"
              + " execution node of root).")
  private Path data;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "Address to listen on (default: the local address used to reach the central manager).")
  private String host;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port (default: the default port of the role).")
  private Integer port;

  @Option(
      names = "--run-as",
      paramLabel = "USER",
      description =
          "Run jobs as this user, who cannot read the node's keys and data. Execution nodes only,"
              + " which then run as root (default: the user who runs the node, but not root).")
  private String runAs;

  @Option(names = "--start", description = "Start the node at once.")
  private boolean start;

  public JoinCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  /** The result, for scripts. */
  record Joined(
      String role, String name, String configuration, String jobsRunAs, List<String> command) {}

  @Override
  public Integer call() throws Exception {
    String nodeName = name == null ? hostName() : name;
    Names.require("--name", nodeName, ErrorCode.INVALID_REQUEST);
    OptionRefusal.outside("--port", port, 1, 65_535);
    JoinedUsers users =
        new JoinedUsers(role, System.getProperty("user.name"), Optional.ofNullable(runAs));
    requireRunAs(users);
    Path tokenFile = tokenFile();
    InetAddress listens = host == null ? LocalAddress.towards(address) : LocalAddress.named(host);
    if (role.member()) {
      // Refuses an address to which the member could not bind, before the token is used up.
      MembershipSettings.defaults().boundTo(listens.getHostAddress());
    }
    JoinedFiles files = new JoinedFiles(folder(nodeName, users), role);
    RoleLauncher process = new RoleLauncher(invocation.environment());
    files.prepare(users, invocation.clock());

    boolean repeated = files.isJoining();
    JoinAnswer answer;
    try {
      answer = exchangeToken(tokenFile, nodeName, files);
    } catch (MillraceException e) {
      // The key is kept if an answer may have been lost.
      if (!repeated && e.code().status() < SERVER_FAILURES) {
        files.discardKey();
      }
      throw e;
    }
    files
        .write(answer, configuration(answer, listens, files.dataDirectory(), users.limits()))
        .ifPresent(
            former ->
                invocation.note(
                    "the former configuration is now %s; copy your own settings from it"
                        .formatted(former)));
    List<String> command = process.command(role, files.configuration());
    print(answer, files.configuration(), users, command);
    return start ? process.run(command) : 0;
  }

  private void requireRunAs(JoinedUsers users) {
    OptionRefusal.unless(
        runAs == null || role == JoinRole.EXECUTION_NODE,
        "--run-as",
        "only applicable to execution nodes");
    OptionRefusal.unless(
        runAs == null || !runAs.isBlank(), "--run-as", "specify the name of a user");
    OptionRefusal.unless(
        runAs == null || users.isRoot(),
        "--run-as",
        "only root can run jobs as another user; run 'millrace join' and the node as root");
  }

  private JoinAnswer exchangeToken(Path tokenFile, String nodeName, JoinedFiles files) {
    String key = Base64.getEncoder().encodeToString(files.key().getPublic().getEncoded());
    Target target = new Target(List.of(address), tokenFile);
    JoinRequest request = new JoinRequest(nodeName, key, files.id().orElse(null), role.label());
    JoinAnswer answer;
    try {
      answer = new Connection(invocation.transport(), target).central().join(request);
    } catch (MillraceException e) {
      throw explained(e, tokenFile);
    }
    // A central manager of an earlier version does not compare the roles.
    if (!role.label().equals(answer.role())) {
      throw new MillraceException(
          ErrorCode.CONFLICT,
          ("the token was created for a %1$s, not a %2$s, and is used up; create another with"
                  + " 'millrace token join --role %2$s'")
              .formatted(answer.role(), role.label()));
    }
    return answer;
  }

  /** Refusals for which other commands give other advice. */
  private MillraceException explained(MillraceException e, Path tokenFile) {
    return switch (e.code()) {
      case UNAUTHENTICATED ->
          new MillraceException(
              e.code(),
              "the token in %s is not a join token of this cluster, or it has expired; an administrator creates one with 'millrace token join --role %s'"
                  .formatted(tokenFile, role.label()),
              e);
      case UNREACHABLE ->
          new MillraceException(
              e.code(),
              !(e.getCause() instanceof NothingSentException)
                  ? e.getMessage() + "; run the same command again"
                  : "no central manager answers at %s; check ADDRESS, and that the central manager listens on an address that this machine can reach (web.host and web.allowRemote in its configuration)"
                      .formatted(address),
              e);
      default -> e;
    };
  }

  private NodeConfiguration configuration(
      JoinAnswer answer, InetAddress listens, String dataDirectory, String limits) {
    List<URI> central =
        answer.central() == null || answer.central().isEmpty()
            ? List.of(address)
            : answer.central();
    return new NodeConfiguration(
        role,
        answer.name(),
        dataDirectory,
        central,
        listens.getHostAddress(),
        !listens.isLoopbackAddress(),
        port == null ? role.port() : port,
        limits);
  }

  private void print(
      JoinAnswer answer, Path configuration, JoinedUsers users, List<String> command) {
    if (invocation.json()) {
      invocation
          .terminal()
          .json(
              new Joined(
                  role.label(),
                  answer.name(),
                  configuration.toString(),
                  users.defaultUser().orElse(null),
                  command));
      return;
    }
    invocation.note(
        "%s %s has joined; its files are in %s"
            .formatted(role.label(), answer.name(), configuration.getParent()));
    users.description().ifPresent(invocation::note);
    invocation.line(ShellQuoting.of(command));
  }

  private Path tokenFile() {
    Path file = invocation.options().tokenFile();
    OptionRefusal.unless(file != null, "--token-file", "specify the file with the one-time token");
    String fix = "; create one with 'millrace token join --out FILE'";
    try {
      OptionRefusal.unless(
          TokenFile.read(file).isPresent(), "--token-file", file + " contains no token" + fix);
    } catch (IOException e) {
      throw OptionRefusal.of("--token-file", "cannot read file " + file + fix);
    }
    return file;
  }

  private Path folder(String nodeName, JoinedUsers users) {
    if (data != null) {
      return data;
    }
    Path home = Path.of(invocation.environment().getOrDefault("HOME", "."), ".millrace");
    return users.folder(home).resolve(nodeName);
  }

  private static String hostName() {
    try {
      String full = InetAddress.getLocalHost().getHostName();
      return full.contains(".") ? full.substring(0, full.indexOf('.')) : full;
    } catch (UnknownHostException e) {
      throw OptionRefusal.of("--name", "the host name is unknown; specify a name");
    }
  }

  /** The address of this machine that other members of the cluster can reach. */
  private static final class LocalAddress {
    private static final int ANY_PORT = 9;

    private LocalAddress() {}

    /** The local address used for that server; nothing is sent. */
    static InetAddress towards(URI server) {
      try (DatagramSocket socket = new DatagramSocket()) {
        socket.connect(new InetSocketAddress(InetAddress.getByName(server.getHost()), ANY_PORT));
        return socket.getLocalAddress();
      } catch (IOException | java.io.UncheckedIOException e) {
        throw OptionRefusal.of(
            "ADDRESS",
            "no route to %s (%s); correct it, or set this machine's address with --host"
                .formatted(server.getHost(), e.getMessage()));
      }
    }

    /** The address given by option. */
    static InetAddress named(String host) {
      try {
        return InetAddress.getByName(host);
      } catch (UnknownHostException e) {
        throw OptionRefusal.of(
            "--host", "'%s' is not an address; use an address of this machine".formatted(host));
      }
    }
  }

  /** Starts a role with the launcher that started this command. */
  private static final class RoleLauncher {
    private final String launcher;

    /** The launcher below {@code MILLRACE_HOME}, or else the one on the path. */
    RoleLauncher(Map<String, String> environment) {
      String home = environment.getOrDefault("MILLRACE_HOME", "");
      launcher = home.isEmpty() ? "millrace" : Path.of(home, "bin", "millrace").toString();
    }

    /** The command that starts the role. */
    List<String> command(JoinRole role, Path configuration) {
      return List.of(launcher, role.verb(), "--config", configuration.toString());
    }

    /** Runs it on this terminal until it exits; returns its exit code. Signals are passed on. */
    int run(List<String> command) throws InterruptedException {
      Process process;
      try {
        process = new ProcessBuilder(command).inheritIO().start();
      } catch (IOException e) {
        throw OptionRefusal.of(
            "--start",
            "cannot start the launcher (%s); start the printed command instead"
                .formatted(e.getMessage()));
      }
      Thread hook = new Thread(() -> end(process), "end-of-role");
      Runtime.getRuntime().addShutdownHook(hook);
      int code = process.waitFor();
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The signal has already ended it.
        return code;
      }
      return code;
    }

    private static void end(Process process) {
      process.destroy();
      try {
        process.waitFor();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

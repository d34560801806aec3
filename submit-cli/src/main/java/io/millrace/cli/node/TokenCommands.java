package io.millrace.cli.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.Names;
import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinToken.JoinTokenRequest;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.identity.KeyFiles;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.PrivateFiles;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenIssuer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace token …}: tokens for new machines. */
@Command(name = "token", description = "Creates join tokens and identities of nodes.")
public final class TokenCommands extends CommandGroup {
  private TokenCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(new CommandLine(new TokenCommands(invocation)), "join node");
  }

  @Command(
      name = "join",
      description = "Creates a one-time token with which one new machine may join.",
      footer = {
        "",
        "Examples:",
        "  millrace token join --role execution-node --out e3.token",
        "  millrace token join --role queue-node --for 10m | ssh q3 'umask 077; cat > join.token'",
        "  millrace token join --role execution-node --name 'rack7-*' --for 10m",
        "  millrace token join --role execution-node --name e3 --replace",
        "",
        "On the new machine: millrace join ADDRESS --role ROLE --token-file FILE"
      })
  void join(
      @Option(
              names = "--role",
              required = true,
              paramLabel = "ROLE",
              converter = JoinRole.Reader.class,
              description = "Role: execution-node, queue-node or load-balancer (required).")
          JoinRole role,
      @Option(
              names = "--for",
              paramLabel = "TIME",
              description = "Validity of the token (default: 1h).")
          Duration validFor,
      @Option(
              names = "--name",
              paramLabel = "NAME",
              description = "The only name that may join, or a pattern with * (default: any).")
          String name,
      @Option(
              names = "--replace",
              description = "Withdraw the identity of the node of this role that has the name.")
          boolean replace,
      @Option(
              names = "--out",
              paramLabel = "FILE",
              description = "Write the token to a new file that only its owner can read.")
          Path out) {
    OptionRefusal.unless(
        validFor == null || !(validFor.isZero() || validFor.isNegative()),
        "--for",
        "use a duration above 0, such as 1h");
    OptionRefusal.unless(
        !replace || (name != null && !name.contains("*")),
        "--replace",
        "give the name of the one node that is replaced with --name, without *");
    OptionRefusal.unless(
        out == null || !Files.exists(out), "--out", out + " already exists; use a new file");
    JoinTokenRequest request = new JoinTokenRequest(role.label(), validFor, name, replace);
    JoinToken token = invocation.central().joinToken(request);
    if (out != null) {
      PrivateFiles.write(out, token.token() + "\n");
    }
    if (invocation.json()) {
      // A token that was written to the file is not shown.
      String shown = out == null ? token.token() : null;
      invocation.terminal().json(new JoinToken(shown, token.role(), token.expiresAt()));
      return;
    }
    invocation.line(out == null ? token.token() : out.toString());
    invocation.note(
        ("valid for one %1$s until %2$s; use it with: millrace join ADDRESS --role %1$s"
                + " --token-file FILE")
            .formatted(role.label(), token.expiresAt()));
  }

  @Command(
      name = "node",
      description = "Creates the identity of a node on the machine that has the cluster's key.",
      footer = {
        "",
        "Example:",
        "  millrace token node --role queue-node --name q1 --tokens data/tokens --out q1.identity",
        "",
        "For nodes on the central manager's own machine; other machines join ('millrace token join')."
      })
  void node(
      @Option(
              names = "--role",
              required = true,
              paramLabel = "ROLE",
              converter = JoinRole.Reader.class,
              description = "Role: execution-node, queue-node or load-balancer (required).")
          JoinRole role,
      @Option(
              names = "--name",
              required = true,
              paramLabel = "NAME",
              description = "Name of the node, unique in the cluster (required).")
          String name,
      @Option(
              names = "--tokens",
              required = true,
              paramLabel = "DIR",
              description = "The central manager's tokens directory (required).")
          Path tokens,
      @Option(
              names = "--out",
              required = true,
              paramLabel = "FILE",
              description = "New file for the identity, readable by its owner only (required).")
          Path out) {
    Names.require("--name", name, ErrorCode.INVALID_REQUEST);
    OptionRefusal.unless(!Files.exists(out), "--out", out + " already exists; use a new file");
    NodeIdentity node =
        new NodeIdentity(Role.of(role.label()).orElseThrow(), name, UUID.randomUUID());
    new TokenIssuer(KeyFiles.privateKey(tokens), new SystemClock()).credential(node).write(out);
    invocation.line(out.toString());
    invocation.note("identity of %s %s; name it as identityFile".formatted(role.label(), name));
  }
}

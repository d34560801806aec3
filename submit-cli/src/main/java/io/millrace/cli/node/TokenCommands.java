package io.millrace.cli.node;

import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinToken.JoinTokenRequest;
import io.millrace.cli.invocation.CommandGroup;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.OptionRefusal;
import io.millrace.platform.identity.PrivateFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace token …}: tokens for new machines. */
@Command(name = "token", description = "Creates tokens.")
public final class TokenCommands extends CommandGroup {
  private TokenCommands(Invocation invocation) {
    super(invocation);
  }

  /** The command with its subcommands. */
  public static CommandLine create(Invocation invocation) {
    return inOrder(new CommandLine(new TokenCommands(invocation)), "join");
  }

  @Command(
      name = "join",
      description = "Creates a one-time token with which one new machine may join.",
      footer = {
        "",
        "Examples:",
        "  millrace token join --role execution-node --out e3.token",
        "  millrace token join --role queue-node --for 10m | ssh q3 'umask 077; cat > join.token'",
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
              names = "--out",
              paramLabel = "FILE",
              description = "Write the token to a new file that only its owner can read.")
          Path out) {
    OptionRefusal.unless(
        validFor == null || !(validFor.isZero() || validFor.isNegative()),
        "--for",
        "use a duration above 0, such as 1h");
    OptionRefusal.unless(
        out == null || !Files.exists(out), "--out", out + " already exists; use a new file");
    JoinToken token = invocation.central().joinToken(new JoinTokenRequest(role.label(), validFor));
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
}

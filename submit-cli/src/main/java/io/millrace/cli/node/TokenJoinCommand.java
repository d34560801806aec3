package io.millrace.cli.node;

import io.millrace.api.node.JoinToken;
import io.millrace.api.node.JoinTokenRequest;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.invocation.Refusal;
import io.millrace.platform.identity.PrivateFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "join",
    description = "Makes a one-use token with which one new machine may join.",
    footer = {
      "",
      "Examples:",
      "  millrace token join --role execution-node --out e3.token",
      "  millrace token join --role queue-node --for 10m | ssh q3 'umask 077; cat > join.token'",
      "",
      "There: millrace join ADDRESS --role ROLE --token-file FILE"
    })
final class TokenJoinCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Option(
      names = "--role",
      required = true,
      paramLabel = "ROLE",
      converter = JoinRole.Reader.class,
      description = "execution-node, queue-node or load-balancer.")
  private JoinRole role;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      description = "How long it may be used (default: 1h).")
  private Duration validFor;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Write it to a new file that only its owner can read.")
  private Path out;

  TokenJoinCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() {
    Refusal.unless(
        validFor == null || !(validFor.isZero() || validFor.isNegative()),
        "--for",
        "use more than 0, such as 1h");
    Refusal.unless(
        out == null || !Files.exists(out), "--out", "there is a file " + out + "; name a new one");
    JoinToken token = invocation.central().joinToken(new JoinTokenRequest(role.word(), validFor));
    if (out != null) {
      PrivateFiles.write(out, token.token() + "\n");
    }
    tell(token);
    return 0;
  }

  private void tell(JoinToken token) {
    if (invocation.json()) {
      // What is in the file need not be seen on the screen.
      String shown = out == null ? token.token() : null;
      invocation.terminal().json(new JoinToken(shown, token.role(), token.expiresAt()));
      return;
    }
    invocation.terminal().line(out == null ? token.token() : out.toString());
    invocation
        .terminal()
        .note(
            "for one "
                + role.word()
                + ", until "
                + token.expiresAt()
                + ": millrace join ADDRESS --role "
                + role.word()
                + " --token-file FILE");
  }
}

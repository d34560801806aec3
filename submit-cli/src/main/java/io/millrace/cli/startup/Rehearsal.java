package io.millrace.cli.startup;

import io.millrace.api.client.UrlTransport;
import io.millrace.cli.Main;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.SystemClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Runs the usual commands once against a little server of its own. The launcher starts it to record
 * which classes they load; nothing it prints or answers is seen by anybody.
 */
public final class Rehearsal {
  private static final String[][] COMMANDS = {
    {"submit", "--wait", "--name", "a", "--env", "A=1", "--timeout", "5s", "--", "true"},
    {"submit", "--", "true"},
    {"job", "list"},
    {"job", "list", "--json"},
    {"job", "show", "1"},
    {"job", "logs", "1"},
    {"job", "wait", "1"},
    {"job", "explain", "1"},
    {"job", "cancel", "1"},
    {"node", "list"},
    {"problems"},
    {"queue", "list"},
    {"queue", "show", "q"},
    {"queue", "send", "q", "--data", "{}"},
    {"dashboard"},
    {"version"},
    {"--help"},
    {"job", "show", "404"}
  };

  private Rehearsal() {}

  /** Runs them all; exits with 0 even if one fails, for then the archive only knows less. */
  public static void main(String[] arguments) throws IOException {
    try (RehearsalServer server = new RehearsalServer()) {
      for (String[] command : COMMANDS) {
        Main.run(invocation(server.port()), command);
      }
    }
  }

  private static Invocation invocation(int port) {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), nowhere, nowhere, true, true);
    Map<String, String> environment = Map.of("MILLRACE_URL", "http://127.0.0.1:" + port);
    return new Invocation(terminal, environment, new UrlTransport(), new SystemClock());
  }
}

package io.millrace.tests.golden;

import io.millrace.api.client.HttpTransport;
import io.millrace.api.client.HttpTransport.HttpAnswer;
import io.millrace.api.client.HttpTransport.HttpCall;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.cli.Main;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.ManualClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;

/** All commands known to the parser, so that none can be omitted. */
final class CommandTree {
  private CommandTree() {}

  /** Every command and group of commands by its full name, {@code millrace} itself first. */
  static Map<String, CommandLine> all() {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), nowhere, nowhere, false, false);
    Map<String, CommandLine> all = new LinkedHashMap<>();
    add(
        Main.commandLine(
            new Invocation(terminal, Map.of(), new Nobody(), new ManualClock(Instant.EPOCH))),
        all);
    return all;
  }

  private static void add(CommandLine command, Map<String, CommandLine> all) {
    all.put(command.getCommandSpec().qualifiedName(), command);
    command.getSubcommands().values().forEach(below -> add(below, all));
  }

  /** Help sends no requests. */
  private static final class Nobody implements HttpTransport {
    @Override
    public HttpAnswer send(HttpCall call) throws IOException {
      throw new NothingSentException("no server is asked", null);
    }

    @Override
    public InputStream stream(HttpCall call) throws IOException {
      throw new NothingSentException("no server is asked", null);
    }
  }
}

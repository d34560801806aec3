package io.millrace.cli.invocation;

import io.millrace.api.client.CentralClient;
import io.millrace.api.client.HttpTransport;
import io.millrace.cli.output.Escaping;
import io.millrace.cli.output.Palette;
import io.millrace.cli.output.Table;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.Clock;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * One call of a command: terminal, shared options and servers. The connection is created on first
 * use, after the options were read. Not thread-safe.
 */
public final class Invocation {
  private final Terminal terminal;
  private final Map<String, String> environment;
  private final HttpTransport transport;
  private final Clock clock;
  private final InterruptHooks hooks;
  private final GlobalOptions options = new GlobalOptions();
  private Connection connection;
  private boolean exitsAsJob;

  public Invocation(
      Terminal terminal, Map<String, String> environment, HttpTransport transport, Clock clock) {
    this(terminal, environment, transport, clock, InterruptHooks.OF_PROCESS);
  }

  public Invocation(
      Terminal terminal,
      Map<String, String> environment,
      HttpTransport transport,
      Clock clock,
      InterruptHooks hooks) {
    this.terminal = terminal;
    this.environment = Map.copyOf(environment);
    this.transport = transport;
    this.clock = clock;
    this.hooks = hooks;
  }

  public Terminal terminal() {
    return terminal;
  }

  public Map<String, String> environment() {
    return environment;
  }

  public GlobalOptions options() {
    return options;
  }

  public Clock clock() {
    return clock;
  }

  public InterruptHooks hooks() {
    return hooks;
  }

  public Instant now() {
    return clock.now();
  }

  public boolean json() {
    return options.json();
  }

  public Palette palette() {
    return terminal.palette(environment, options.noColor());
  }

  public HttpTransport transport() {
    return transport;
  }

  public Connection connection() {
    if (connection == null) {
      connection =
          new Connection(
              transport,
              new Targeting(environment)
                  .target(options.servers(), options.tokenFile(), options.data()));
    }
    return connection;
  }

  public CentralClient central() {
    return connection().central();
  }

  /** The data directory that {@code up} uses. */
  public Path dataDirectory() {
    if (options.data() != null) {
      return options.data().toAbsolutePath().normalize();
    }
    String configured = environment.getOrDefault("MILLRACE_DATA", "");
    Path chosen =
        configured.isEmpty()
            ? Path.of(environment.getOrDefault("HOME", ".")).resolve(".millrace")
            : Path.of(configured);
    return chosen.toAbsolutePath().normalize();
  }

  /** The command will exit with the exit code of a job, so its own errors use other codes. */
  public void exitAsJob() {
    exitsAsJob = true;
  }

  boolean exitsAsJob() {
    return exitsAsJob;
  }

  /** Prints a line to stdout, without escaping. */
  public void line(String line) {
    terminal.line(line);
  }

  /** Prints lines to stdout, without escaping. */
  public void lines(List<String> lines) {
    terminal.lines(lines);
  }

  /** Prints a line to stderr, without escaping. */
  public void note(String line) {
    terminal.note(line);
  }

  /** Prints a value as JSON with {@code --json}, otherwise as text. */
  public void answer(Object value, Runnable asText) {
    if (json()) {
      terminal.json(value);
    } else {
      asText.run();
    }
  }

  /** Prints a value as JSON with {@code --json}, otherwise as a line, which is escaped. */
  public void report(Object value, String line) {
    answer(value, () -> terminal.line(Escaping.text(line)));
  }

  /**
   * Prints a value as JSON with {@code --json}, otherwise as a table or a message if it is empty.
   */
  public void list(Object value, Supplier<Table> table, String whenEmpty) {
    answer(value, () -> print(table.get(), whenEmpty));
  }

  /** Prints a value as JSON with {@code --json}, otherwise as lines, which are escaped already. */
  public void show(Object value, Supplier<List<String>> lines) {
    answer(value, () -> terminal.lines(lines.get()));
  }

  /** Prints a table, or the message if it has no rows. */
  public void print(Table table, String whenEmpty) {
    if (table.isEmpty()) {
      terminal.note(whenEmpty);
    } else {
      terminal.lines(table.lines(palette()));
    }
  }
}

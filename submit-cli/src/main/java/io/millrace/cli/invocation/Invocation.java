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
 * What a command works with: the terminal, the shared options and the servers. The connection is
 * made when first asked for, after the options were read. Not thread-safe.
 */
public final class Invocation {
  private final Terminal terminal;
  private final Map<String, String> environment;
  private final HttpTransport transport;
  private final Clock clock;
  private final GlobalOptions options = new GlobalOptions();
  private Connection connection;
  private boolean exitsAsJob;

  public Invocation(
      Terminal terminal, Map<String, String> environment, HttpTransport transport, Clock clock) {
    this.terminal = terminal;
    this.environment = Map.copyOf(environment);
    this.transport = transport;
    this.clock = clock;
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

  /** The command will exit with a job's own code, so that its errors need codes of their own. */
  public void exitAsJob() {
    exitsAsJob = true;
  }

  boolean exitsAsJob() {
    return exitsAsJob;
  }

  /** Prints a line on the output, as it is. */
  public void line(String line) {
    terminal.line(line);
  }

  /** Prints lines on the output, as they are. */
  public void lines(List<String> lines) {
    terminal.lines(lines);
  }

  /** Prints a line where messages go, as it is. */
  public void note(String line) {
    terminal.note(line);
  }

  /** Prints a value as JSON if that is asked for, else in words. */
  public void answer(Object value, Runnable inWords) {
    if (json()) {
      terminal.json(value);
    } else {
      inWords.run();
    }
  }

  /**
   * Prints a value as JSON if that is asked for, else a line that others may have had a part in.
   */
  public void tell(Object value, String line) {
    answer(value, () -> terminal.line(Escaping.text(line)));
  }

  /** Prints a value as JSON if that is asked for, else as a table, or the words for no rows. */
  public void list(Object value, Supplier<Table> table, String whenEmpty) {
    answer(value, () -> print(table.get(), whenEmpty));
  }

  /** Prints a value as JSON if that is asked for, else as lines that are harmless already. */
  public void show(Object value, Supplier<List<String>> lines) {
    answer(value, () -> terminal.lines(lines.get()));
  }

  /** Prints a table, or the words when it has no rows. */
  public void print(Table table, String whenEmpty) {
    if (table.isEmpty()) {
      terminal.note(whenEmpty);
    } else {
      terminal.lines(table.lines(palette()));
    }
  }
}

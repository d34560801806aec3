package io.millrace.cli;

import io.millrace.cli.invocation.InterruptHooks;
import io.millrace.cli.invocation.Invocation;
import io.millrace.cli.output.Terminal;
import io.millrace.platform.clock.ManualClock;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** One run of the command against a fake cluster, with what it printed. */
public final class CommandRun {
  /** The moment at which every run takes place. */
  public static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private final FakeCluster cluster;
  private final Map<String, String> environment = new HashMap<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Runnable onInterrupt;
  private boolean terminal;
  private Supplier<InputStream> input = () -> new ByteArrayInputStream(new byte[0]);

  public CommandRun(FakeCluster cluster) {
    this.cluster = cluster;
    environment.put("HOME", "/nowhere");
    environment.put("MILLRACE_URL", "http://127.0.0.1:7700");
  }

  public CommandRun with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  public CommandRun without(String variable) {
    environment.remove(variable);
    return this;
  }

  public CommandRun reading(String text) {
    input = () -> new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  public CommandRun reading(InputStream source) {
    input = () -> source;
    return this;
  }

  public CommandRun onTerminal() {
    terminal = true;
    return this;
  }

  /** Does what Ctrl-C makes the running command do; nothing if it does nothing then. */
  public void interrupt() {
    if (onInterrupt != null) {
      onInterrupt.run();
    }
  }

  private InterruptHooks.Registration register(Runnable action) {
    onInterrupt = action;
    return () -> onInterrupt = null;
  }

  /** Runs it; gives the exit code. */
  public int run(String... arguments) {
    Terminal shown =
        new Terminal(
            input.get(),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            terminal,
            terminal);
    return Main.run(
        new Invocation(shown, environment, cluster, new ManualClock(NOW), this::register),
        arguments);
  }

  public String output() {
    return out.toString(StandardCharsets.UTF_8);
  }

  public String messages() {
    return err.toString(StandardCharsets.UTF_8);
  }
}

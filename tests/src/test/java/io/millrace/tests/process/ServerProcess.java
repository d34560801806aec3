package io.millrace.tests.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A server in its own process. */
public final class ServerProcess {
  private static final Duration START = Duration.ofMinutes(3);
  private static final int STOP_SECONDS = 30;

  private final String name;
  private final Process process;
  private final Path out;
  private final Path err;

  ServerProcess(String name, Process process, Path out, Path err) {
    this.name = name;
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** Waits until the server prints its first line, which has its address. */
  public String firstLine() {
    Awaitility.await(name + " answers")
        .atMost(START)
        .until(() -> !process.isAlive() || Files.readString(out).contains("\n"));
    String said = said(out);
    if (!said.contains("\n")) {
      throw new AssertionError(
          name + " ended with " + process.exitValue() + ": " + said + said(err));
    }
    return said.substring(0, said.indexOf('\n'));
  }

  /** Kills it with kill -9. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /** Freezes it with SIGSTOP: it keeps its connections but does nothing. */
  public void freeze() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** Resumes it after {@link #freeze}. */
  public void thaw() throws IOException, InterruptedException {
    signal("CONT");
  }

  long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  private void signal(String signal) throws IOException, InterruptedException {
    new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start().waitFor();
  }

  /** Requests it to stop, as Ctrl-C does; returns its exit code. */
  int stop() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      kill();
      throw new AssertionError(name + " does not stop: " + said(err));
    }
    return process.exitValue();
  }

  /** Ends it, forcibly if necessary; for cleanup after a test. */
  public void end() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      kill();
    }
  }

  private static String said(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}

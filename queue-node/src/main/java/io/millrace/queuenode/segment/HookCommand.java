package io.millrace.queuenode.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs one command of the operator's and waits for it. Not thread-safe. */
final class HookCommand {
  private static final int KEPT_OUTPUT = 500;
  private static final Duration KILLED_WITHIN = Duration.ofSeconds(2);

  private final List<String> command;
  private final Duration timeout;

  /** A command that is not run yet; empty for one that succeeds at doing nothing. */
  HookCommand(List<String> command, Duration timeout) {
    this.command = command;
    this.timeout = timeout;
  }

  boolean isNone() {
    return command.isEmpty();
  }

  /**
   * Runs it. Blocks up to the time-out.
   *
   * @param variables added to the node's own environment
   * @return what went wrong, for people; empty after exit status 0
   */
  Optional<String> run(Map<String, String> variables) throws InterruptedException {
    if (isNone()) {
      return Optional.empty();
    }
    Path output = null;
    try {
      output = Files.createTempFile("millrace-hook", ".out");
      return run(variables, output);
    } catch (IOException e) {
      return Optional.of(command.get(0) + " could not be started: " + e.getMessage());
    } finally {
      delete(output);
    }
  }

  private Optional<String> run(Map<String, String> variables, Path output)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(variables);
    Process process = builder.start();
    try {
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        return Optional.of(
            command.get(0) + " did not end within " + timeout.toSeconds() + "s" + words(output));
      }
      int status = process.exitValue();
      return status == 0
          ? Optional.empty()
          : Optional.of(command.get(0) + " ended with status " + status + words(output));
    } finally {
      kill(process);
    }
  }

  /** What a command that ended well has left running is meant to run. */
  private static void kill(Process process) throws InterruptedException {
    if (process.isAlive()) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor(KILLED_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private static String words(Path output) throws IOException {
    try (SeekableByteChannel channel = Files.newByteChannel(output)) {
      channel.position(Math.max(0, channel.size() - KEPT_OUTPUT));
      ByteBuffer tail = ByteBuffer.allocate(KEPT_OUTPUT);
      while (tail.hasRemaining() && channel.read(tail) >= 0) {
        // Reads on to the end of the file.
      }
      String text = new String(tail.array(), 0, tail.position(), StandardCharsets.UTF_8).strip();
      return text.isEmpty() ? "" : ": " + text;
    }
  }

  private static void delete(Path output) {
    try {
      if (output != null) {
        Files.deleteIfExists(output);
      }
    } catch (IOException e) {
      // A file of some bytes in the temporary folder; the system clears it.
      output.toFile().deleteOnExit();
    }
  }
}

package io.millrace.executor.run;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.CommandAnswer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A command that a built-in program runs for a moment. Its output goes to a file, so that whatever
 * it starts in the background can hold nobody up; what is still there of its processes when it ends
 * or its time is over is killed.
 *
 * @param command argv, no shell
 * @param environment added to the path and the language
 */
record ShortCommand(List<String> command, Map<String, String> environment) {
  private static final int KILLED = 137;
  private static final int TAIL_BYTES = 8_192;
  private static final List<String> KEPT = List.of("PATH", "HOME", "LANG", "LC_ALL", "TZ");

  /** Runs it; kills it when the time is over or this thread is interrupted. */
  CommandAnswer run(Duration limit) throws InterruptedException {
    Path output = null;
    Process process = null;
    try {
      output = Files.createTempFile("millrace-command-", ".out");
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().keySet().retainAll(KEPT);
      builder.environment().putAll(environment);
      process =
          builder
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .redirectOutput(output.toFile())
              .start();
      boolean ended = process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
      return new CommandAnswer(ended ? process.exitValue() : KILLED, lastLine(output));
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, command + " cannot be run here: " + e.getMessage(), e);
    } finally {
      kill(process);
      delete(output);
    }
  }

  private static void kill(Process process) {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static void delete(Path output) {
    if (output == null) {
      return;
    }
    try {
      Files.deleteIfExists(output);
    } catch (IOException e) {
      // It lies in the folder for temporary files, which is cleared by others.
      output.toFile().deleteOnExit();
    }
  }

  private static String lastLine(Path output) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(output.toFile(), "r")) {
      file.seek(Math.max(0, file.length() - TAIL_BYTES));
      byte[] tail = new byte[(int) (file.length() - file.getFilePointer())];
      file.readFully(tail);
      String text = new String(tail, StandardCharsets.UTF_8).stripTrailing();
      return text.substring(text.lastIndexOf('\n') + 1).strip();
    }
  }
}

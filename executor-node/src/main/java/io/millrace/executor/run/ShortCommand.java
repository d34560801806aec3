package io.millrace.executor.run;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.client.ProgramContext.CommandAnswer;
import io.millrace.api.execution.CommandOrder;
import io.millrace.api.execution.CommandOrder.RunAs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A short command of a built-in program, unsupervised. Its output goes to a file, so that its
 * background processes cannot block the caller; processes that are left when it ends or at its time
 * limit are killed.
 *
 * @param launch the command, its variables, folder, time limit and user
 */
record ShortCommand(CommandOrder launch) {
  private static final int KILLED = 137;
  private static final int TAIL_BYTES = 8_192;
  private static final List<String> KEPT = List.of("PATH", "HOME", "LANG", "LC_ALL", "TZ");
  private static final String HOME = "HOME";
  private static final Path NOTHING = Path.of("/dev/null");

  /**
   * Reads the variables, goes to the folder and becomes the command, with the user's rights: none
   * of the job's variables is evaluated with those of the agent. On the standard input they are
   * seen by nobody else.
   */
  private static final String ENTER =
      "eval \"$(cat)\" && cd -- \"$1\" || exit 126; shift; exec \"$@\" </dev/null";

  /**
   * Runs it; kills it when its time has passed or this thread is interrupted.
   *
   * @throws MillraceException UNAVAILABLE when it cannot be started
   */
  CommandAnswer run() throws InterruptedException {
    Path output = null;
    Path variables = null;
    Process process = null;
    try {
      output = Files.createTempFile("millrace-command-", ".out");
      ProcessBuilder builder = new ProcessBuilder(launch.argv());
      builder.environment().keySet().retainAll(KEPT);
      if (launch.runAs().isPresent()) {
        // Only its owner, the agent, can open it; the command inherits it opened.
        variables = Files.createTempFile("millrace-command-", ".in");
        asUser(builder, launch.runAs().get(), variables);
      } else {
        builder.environment().putAll(launch.environment());
        launch.workingDirectory().map(Path::toFile).ifPresent(builder::directory);
        builder.redirectInput(Redirect.from(NOTHING.toFile()));
      }
      process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
      delete(variables);
      boolean ended = process.waitFor(launch.timeout().toNanos(), TimeUnit.NANOSECONDS);
      return new CommandAnswer(ended ? process.exitValue() : KILLED, lastLine(output));
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE, launch.argv() + " cannot be run here: " + e.getMessage(), e);
    } finally {
      kill(process);
      delete(variables);
      delete(output);
    }
  }

  private void asUser(ProcessBuilder builder, RunAs user, Path variables) throws IOException {
    Map<String, String> all = new HashMap<>(builder.environment());
    all.remove(HOME);
    all.putAll(launch.environment());
    StringBuilder text = new StringBuilder();
    all.forEach(
        (name, value) ->
            text.append("export ")
                .append(name)
                .append("='")
                .append(value.replace("'", "'\\''"))
                .append("'\n"));
    Files.writeString(variables, text);
    List<String> command =
        new ArrayList<>(
            List.of(
                "setpriv",
                "--reuid=" + user.user(),
                "--regid=" + user.group(),
                "--init-groups",
                "--reset-env",
                "--no-new-privs",
                "--",
                "/bin/sh",
                "-c",
                ENTER,
                "command",
                launch.workingDirectory().orElse(Path.of("/")).toString()));
    command.addAll(launch.argv());
    builder.command(command).redirectInput(Redirect.from(variables.toFile()));
  }

  private static void kill(Process process) {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static void delete(Path file) {
    if (file == null) {
      return;
    }
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // It is in the folder for temporary files, which is cleaned up by the system.
      file.toFile().deleteOnExit();
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

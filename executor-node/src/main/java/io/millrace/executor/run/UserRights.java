package io.millrace.executor.run;

import io.millrace.api.execution.CommandOrder.RunAs;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Does what a job's user may do, with that user's rights instead of those of an agent that runs as
 * root: what is checked and what is read is then the same file, whatever the user replaces in
 * between. Stateless and thread-safe; each method blocks for the time of a process start, at most
 * 10 s.
 *
 * @param user whose rights are used
 */
record UserRights(RunAs user) {
  private static final String SECONDS = "10";

  /** Whether the user can enter a folder. */
  boolean enters(Path folder) throws IOException {
    return run(List.of("test", "-x", folder.toString()), 0).isPresent();
  }

  /**
   * The beginning of a file; empty if it is not a regular file that the user can read.
   *
   * @param longest how many bytes to read at most
   */
  Optional<byte[]> read(Path file, int longest) throws IOException {
    return run(
        List.of(
            "/bin/sh",
            "-c",
            "[ -f \"$1\" ] && exec head -c \"$2\" -- \"$1\"",
            "read",
            file.toString(),
            Integer.toString(longest)),
        longest);
  }

  private Optional<byte[]> run(List<String> command, int longest) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "setpriv",
                "--reuid=" + user.user(),
                "--regid=" + user.group(),
                "--init-groups",
                "--no-new-privs",
                "--",
                // A pipe in place of the file would block.
                "timeout",
                "-s",
                "KILL",
                SECONDS));
    all.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(all)
            .directory(Path.of("/").toFile())
            .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
            .redirectError(Redirect.DISCARD);
    String path = builder.environment().get("PATH");
    builder.environment().clear();
    if (path != null) {
      builder.environment().put("PATH", path);
    }
    Process process = builder.start();
    try {
      byte[] output = process.getInputStream().readNBytes(longest);
      return process.waitFor() == 0 ? Optional.of(output) : Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      process.destroyForcibly();
    }
  }
}

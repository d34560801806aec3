package io.millrace.executor.supervision;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a part of a file that others write to back to the disk, with the {@code fallocate} of
 * util-linux: nothing is copied, nothing that is written meanwhile can be lost, and all other bytes
 * stay where they are. Thread-safe; blocks for the time of a process start.
 */
final class HolePunch {
  private static final Logger LOGGER = LoggerFactory.getLogger(HolePunch.class);
  private static final int SECONDS = 30;

  private final AtomicBoolean refused = new AtomicBoolean();

  /** Frees the bytes; where the file system cannot, nothing happens but one word in the log. */
  void free(Path file, DroppedRange range) {
    if (refused.get()) {
      return;
    }
    try {
      Process process =
          new ProcessBuilder(
                  "fallocate",
                  "--punch-hole",
                  "--offset=" + range.from(),
                  "--length=" + (range.to() - range.from()),
                  file.toString())
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (process.waitFor(SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0) {
        return;
      }
      process.destroyForcibly();
    } catch (IOException e) {
      LOGGER.debug("cannot run fallocate", e);
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
      return;
    }
    refused.set(true);
    LOGGER.warn(
        "{} cannot be shortened: outputs of attempts are hidden beyond their limit, but take room on"
            + " this disk until they are deleted; use ext4, xfs, btrfs or tmpfs and util-linux",
        file);
  }
}

package io.millrace.executor.sequential;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers on disk which process runs, so that the next process of a node that was killed can end
 * it: nothing runs twice. Used by one thread at a time.
 *
 * @param file with the process id and the time of its start
 */
record LastProcess(Path file) {
  private static final Logger LOGGER = LoggerFactory.getLogger(LastProcess.class);

  // The number of a process has at most so many digits that it fits.
  private static final Pattern WORDS = Pattern.compile("([0-9]{1,18}) (\\S+)");

  /** Remembers a process that was just started. */
  void remember(Process process) {
    try {
      Files.createDirectories(file.getParent());
      // Whole or not at all, also if this node is killed meanwhile.
      Path next = file.resolveSibling(file.getFileName() + ".new");
      Files.writeString(next, process.pid() + " " + start(process.toHandle()) + "\n");
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOGGER.warn("cannot remember process {}; it is not ended if this node is killed", process, e);
    }
  }

  /** Forgets it, because it has ended. */
  void forget() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOGGER.warn("cannot delete {}", file, e);
    }
  }

  /**
   * Ends by force the process that is remembered, with its descendants, if it still runs. A file
   * that names none, as a crash of the machine may leave it, is deleted: its process has gone with
   * the machine.
   *
   * @throws MillraceException CONFIGURATION if the file cannot be read or deleted
   */
  void end() {
    if (!Files.exists(file)) {
      return;
    }
    try {
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      Matcher words = WORDS.matcher(text.strip());
      if (words.matches()) {
        ProcessHandle.of(Long.parseLong(words.group(1)))
            .filter(process -> start(process).equals(words.group(2)))
            .ifPresent(LastProcess::kill);
      } else {
        LOGGER.warn("{} names no process; it is deleted", file);
      }
      Files.delete(file);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "cannot read %s, which names the last process of this node; end that process and delete the file"
              .formatted(file),
          e);
    }
  }

  private static void kill(ProcessHandle process) {
    LOGGER.warn("ending process {}, which the node has left when it was killed", process.pid());
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  // A number that was given to another process meanwhile has another time.
  private static String start(ProcessHandle process) {
    return process.info().startInstant().map(Object::toString).orElse("unknown");
  }
}

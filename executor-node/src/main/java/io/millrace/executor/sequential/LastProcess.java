package io.millrace.executor.sequential;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  /** Remembers a process that was just started. */
  void remember(Process process) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, process.pid() + " " + start(process.toHandle()) + "\n");
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

  /** Ends by force the process that is remembered, with its descendants, if it still runs. */
  void end() {
    if (!Files.exists(file)) {
      return;
    }
    try {
      List<String> words = List.of(Files.readString(file).strip().split(" ", -1));
      if (words.size() == 2) {
        ProcessHandle.of(Long.parseLong(words.get(0)))
            .filter(process -> start(process).equals(words.get(1)))
            .ifPresent(LastProcess::kill);
      }
      Files.delete(file);
    } catch (NumberFormatException | IOException e) {
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

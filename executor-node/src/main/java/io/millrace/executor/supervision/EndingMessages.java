package io.millrace.executor.supervision;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Reads how an attempt ended from its directory. */
record EndingMessages(Path script) {
  private static final int LAST_WORDS = 4096;
  private static final String EXEC = "exec: ";

  /** The recorded ending; empty when there is no record. */
  Optional<Ending> recorded(AttemptRecords records, Optional<Intent> intent) throws IOException {
    Optional<ExitRecord> exit = records.exit();
    if (exit.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(Endings.recorded(exit.get(), intent, shellWords(records.directory())));
  }

  /** What may have happened to a supervising shell that left no record. */
  String withoutRecord(AttemptRecords records) {
    if (!Files.exists(records.directory().supervisorRecord())) {
      return "the supervising shell ended before it ran the command; see the attempt's error output";
    }
    return "the supervising shell is gone without a record of the exit: it was killed together with"
        + " its command (by hand, for want of memory, or by the command itself), or the disk is full";
  }

  // The shell begins its own complaints with the name of the script.
  private Optional<String> shellWords(AttemptDirectory directory) throws IOException {
    List<String> lines = directory.tail(LogStream.STDERR, LAST_WORDS).text().lines().toList();
    if (lines.isEmpty() || !lines.get(lines.size() - 1).startsWith(script + ":")) {
      return Optional.empty();
    }
    String last = lines.get(lines.size() - 1);
    int exec = last.indexOf(EXEC);
    return Optional.of(
        exec < 0
            ? last.substring(script.toString().length() + 1).strip()
            : last.substring(exec + EXEC.length()));
  }
}

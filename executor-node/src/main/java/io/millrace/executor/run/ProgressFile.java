package io.millrace.executor.run;

import io.millrace.api.job.ReportedProgress;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.UntrustedFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what a program writes to the file {@code MILLRACE_PROGRESS}, which it may overwrite or
 * append to. Only the end of the file is read, however long it is. Stateless and thread-safe.
 */
public final class ProgressFile {
  private static final Logger LOGGER = LoggerFactory.getLogger(ProgressFile.class);
  private static final int TAIL = 4_096;

  private ProgressFile() {}

  /** The newest report; empty if there is none. Reads the disk. */
  public static Optional<ReportedProgress> read(AttemptDirectory directory) {
    try {
      return UntrustedFile.tail(directory.progress(), TAIL).flatMap(ProgressFile::parse);
    } catch (IOException e) {
      LOGGER.debug("cannot read the progress in {}", directory.path(), e);
      return Optional.empty();
    }
  }

  /**
   * The last line that is complete and not blank; a text without any line break is one line, so
   * that a program may leave it out. Pure.
   *
   * @param tail the end of the file
   */
  static Optional<ReportedProgress> parse(byte[] tail) {
    String text = new String(tail, StandardCharsets.UTF_8);
    int end = text.lastIndexOf('\n');
    if (end < 0) {
      // Without its beginning a line would be misread.
      return tail.length < TAIL ? ReportedProgress.parse(text) : Optional.empty();
    }
    String[] lines = text.substring(0, end).split("\n", -1);
    for (int i = lines.length - 1; i > 0 || (i == 0 && tail.length < TAIL); i--) {
      Optional<ReportedProgress> report = ReportedProgress.parse(lines[i]);
      if (report.isPresent()) {
        return report;
      }
    }
    return Optional.empty();
  }
}

package io.millrace.executor.run;

import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import io.millrace.executor.batch.LeasedBatch.BatchRecord;
import io.millrace.executor.batch.StreamRecord;
import io.millrace.executor.supervision.AttemptDirectory;
import io.millrace.executor.supervision.UntrustedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JSON file that the agent keeps in an attempt's directory for the next agent. Written
 * atomically; survives the agent, but not a loss of power, after which nothing runs anyway.
 *
 * @param name the file's name
 * @param type the type of its content
 */
public record KeptFile<T>(String name, Class<T> type) {
  /** What was accepted. */
  public static final KeptFile<AttemptRecord> ASSIGNMENT =
      new KeptFile<>("assignment.json", AttemptRecord.class);

  /** The backend that was asked to run it; kept only if the backend has no records of its own. */
  static final KeptFile<BackendRecord> BACKEND =
      new KeptFile<>("backend.json", BackendRecord.class);

  /** The events that a worker has leased. */
  public static final KeptFile<BatchRecord> BATCH =
      new KeptFile<>("receipts.json", BatchRecord.class);

  /** The events that a worker gets as a stream. */
  public static final KeptFile<StreamRecord> STREAM =
      new KeptFile<>("stream.json", StreamRecord.class);

  /** How it ended. */
  public static final KeptFile<CompletedRun> RESULT =
      new KeptFile<>("result.json", CompletedRun.class);

  // Far larger than any file that is written: a specification, a result or some thousands of
  // receipts.
  private static final int LONGEST = 64 << 20;

  private static final Logger LOGGER = LoggerFactory.getLogger(KeptFile.class);

  /** Writes the value; the directory must exist. */
  public void write(AttemptDirectory directory, T value) throws IOException {
    UntrustedFile.replace(directory.path().resolve(name), Json.writeBytes(value));
  }

  /** Reads the value; empty if there is none or it is not readable. */
  public Optional<T> read(AttemptDirectory directory) {
    Path file = directory.path().resolve(name);
    try {
      Optional<byte[]> content = UntrustedFile.read(file, LONGEST);
      if (content.isEmpty() && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        LOGGER.warn(
            "{} is not a regular file of at most {} bytes; it is treated as missing",
            file,
            LONGEST);
      }
      return content.map(bytes -> Json.read(bytes, type));
    } catch (IOException | MillraceException e) {
      LOGGER.warn("{} cannot be read; it is treated as missing", file, e);
      return Optional.empty();
    }
  }

  /**
   * What finds a command again.
   *
   * @param backend its name
   * @param reference as the backend gave it; null for none
   */
  record BackendRecord(String backend, String reference) {}
}

package io.millrace.executor.run;

import io.millrace.api.json.Json;
import io.millrace.api.problem.MillraceException;
import io.millrace.executor.batch.BatchRecord;
import io.millrace.executor.supervision.AttemptDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A JSON file that the agent keeps in an attempt's directory for a later life of itself. Written
 * whole or not at all; survives the agent, not a power cut, after which nothing runs anyway.
 *
 * @param name the file's name
 * @param type what is in it
 */
public record KeptFile<T>(String name, Class<T> type) {
  /** What was accepted. */
  public static final KeptFile<AttemptRecord> ASSIGNMENT =
      new KeptFile<>("assignment.json", AttemptRecord.class);

  /** The events that a worker has leased. */
  public static final KeptFile<BatchRecord> BATCH =
      new KeptFile<>("receipts.json", BatchRecord.class);

  /** How it ended. */
  public static final KeptFile<RunResult> RESULT = new KeptFile<>("result.json", RunResult.class);

  private static final Logger LOGGER = LoggerFactory.getLogger(KeptFile.class);

  /** Writes the value; the directory must exist. */
  public void write(AttemptDirectory directory, T value) throws IOException {
    Path part = directory.path().resolve(name + ".part");
    Files.write(part, Json.writeBytes(value));
    Files.move(part, directory.path().resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Reads the value; empty when there is none, or none that can be understood. */
  public Optional<T> read(AttemptDirectory directory) {
    Path file = directory.path().resolve(name);
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.of(Json.read(in.readAllBytes(), type));
    } catch (NoSuchFileException nothingKept) {
      return Optional.empty();
    } catch (IOException | MillraceException e) {
      LOGGER.warn("{} cannot be read and counts as missing", file, e);
      return Optional.empty();
    }
  }
}

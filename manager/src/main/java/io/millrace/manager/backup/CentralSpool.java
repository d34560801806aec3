package io.millrace.manager.backup;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.database.Database;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the central database into a compressed file first, so that the database's transaction does
 * not depend on how fast a reader is. One copy at a time; thread-safe.
 */
public final class CentralSpool {
  private static final Logger LOGGER = LoggerFactory.getLogger(CentralSpool.class);

  private final Database database;
  private final Path file;
  private final AtomicBoolean busy = new AtomicBoolean();

  /** Copies into that folder; deletes what a killed process left there. */
  public CentralSpool(Database database, Path folder) {
    this.database = database;
    this.file = folder.resolve("backup-central.tmp");
    delete();
  }

  /** Receives a whole copy. */
  public interface Reader {
    /**
     * Reads it.
     *
     * @param copy compressed with gzip
     * @param bytes its length
     */
    void read(InputStream copy, long bytes) throws IOException;
  }

  /**
   * Makes a copy, passes it on and deletes it. Blocks for as long as both take.
   *
   * @throws MillraceException UNAVAILABLE while another copy is made or read, STORE_FAILURE if it
   *     cannot be made
   */
  public void copy(Reader reader) throws IOException {
    if (!busy.compareAndSet(false, true)) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "another backup is being taken through this central manager; try again when it has ended");
    }
    try {
      make();
      try (InputStream copy = Files.newInputStream(file)) {
        reader.read(copy, Files.size(file));
      }
    } finally {
      delete();
      busy.set(false);
    }
  }

  private void make() {
    try {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      try (OutputStream out =
          new GZIPOutputStream(Files.newOutputStream(file, StandardOpenOption.WRITE), 1 << 16)) {
        CentralCopy.write(database, out);
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the copy of the central database could not be written to "
              + file.getParent()
              + " of the central manager: "
              + e
              + "; free space there",
          e);
    }
  }

  private void delete() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOGGER.warn("{} could not be deleted", file, e);
    }
  }
}

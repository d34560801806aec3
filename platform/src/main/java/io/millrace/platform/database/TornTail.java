package io.millrace.platform.database;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovers the last commits of an H2 file whose process was killed. H2 finds its newest chunk from
 * the file's header by predicted links; where the prediction failed just before the kill, a normal
 * opening loses some 100 ms of commits that were on disk (measured: in a third of the kills, once
 * space is reused). Its recovery mode reads all chunks, finds the newest one and closes the file
 * with a header that names it; therefore it runs after every unclean shutdown.
 */
public final class TornTail {
  private static final Logger LOGGER = LoggerFactory.getLogger(TornTail.class);
  private static final int HEADER_BYTES = 4_096;

  private TornTail() {}

  /**
   * Repairs the file if it exists and was not closed cleanly; blocks while it is read. Does nothing
   * while another process has it open; opening it then reports that.
   *
   * @param file the database's file, {@code NAME.mv.db}
   * @throws MillraceException STORE_FAILURE when it cannot be read; it is left unchanged
   */
  public static void repair(Path file) {
    if (!Files.exists(file) || closedCleanly(file)) {
      return;
    }
    try {
      MVStore store =
          new MVStore.Builder()
              .fileName(file.toString())
              .recoveryMode()
              .autoCommitDisabled()
              .open();
      long version = store.getCurrentVersion();
      store.close();
      LOGGER.info("{} was not closed cleanly; its newest version is {}", file, version);
    } catch (MVStoreException e) {
      if (e.getErrorCode() != DataUtils.ERROR_FILE_LOCKED) {
        throw unreadable(file, e);
      }
    }
  }

  private static boolean closedCleanly(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      String header = new String(in.readNBytes(HEADER_BYTES), StandardCharsets.ISO_8859_1);
      return header.contains(",clean:1,");
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static MillraceException unreadable(Path file, Exception cause) {
    return new MillraceException(
        ErrorCode.STORE_FAILURE,
        "the database file "
            + file
            + " cannot be read and was left unchanged: "
            + cause.getMessage()
            + "; restore it from a backup",
        cause);
  }
}

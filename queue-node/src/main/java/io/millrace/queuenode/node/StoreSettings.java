package io.millrace.queuenode.node;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.queuenode.store.SegmentStore;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the node keeps its events.
 *
 * @param kind what keeps them
 * @param url of the server: {@code jdbc:mysql://HOST:3306/NAME}; for MYSQL only
 * @param user of the server; for MYSQL only
 * @param passwordFile holds the password; for MYSQL only
 * @param rememberedBatches batch names remembered at most, so that a repeated batch is stored once;
 *     0 for one for each 512 bytes of the largest heap, 10,000 to 4,000,000
 */
public record StoreSettings(
    Kind kind,
    Optional<String> url,
    Optional<String> user,
    Optional<Path> passwordFile,
    int rememberedBatches) {
  private static final int MOST_REMEMBERED = 50_000_000;

  /** Of the heap, while a checkpoint is written. */
  private static final long BYTES_OF_NAME = 70;

  /** What keeps the events. */
  public enum Kind {
    /** Log files in the node's data directory. */
    LOG,
    /** A MySQL 8+ or MariaDB 10.6+ server. */
    MYSQL
  }

  public StoreSettings {
    boolean server = kind == Kind.MYSQL;
    if (server != (url.isPresent() && user.isPresent())) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION, "kind mysql needs url and user, and the kind log has none");
    }
    if (rememberedBatches < 0 || rememberedBatches > MOST_REMEMBERED) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "rememberedBatches must be 0 (one for each 512 bytes of heap) or between 1 and "
              + MOST_REMEMBERED);
    }
  }

  public static StoreSettings defaults() {
    return of(Kind.LOG);
  }

  /** A store in the node's data directory. */
  public static StoreSettings of(Kind kind) {
    return new StoreSettings(kind, Optional.empty(), Optional.empty(), Optional.empty(), 0);
  }

  /** How many batch names are remembered at most. */
  int batchesRemembered() {
    if (rememberedBatches == 0) {
      return SegmentStore.usualRememberedBatches();
    }
    long heap = Runtime.getRuntime().maxMemory();
    if (kind == Kind.LOG && rememberedBatches * BYTES_OF_NAME > heap / 2) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "rememberedBatches: %,d names take up to %,d MB, which is more than half of the heap of %,d MB; lower it, or give the node more memory"
              .formatted(rememberedBatches, (rememberedBatches * BYTES_OF_NAME) >> 20, heap >> 20));
    }
    return rememberedBatches;
  }
}

package io.millrace.queuenode.node;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
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
          "rememberedBatches is 1 to " + MOST_REMEMBERED + ", or 0 for what the heap has room for");
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
    return rememberedBatches == 0 ? SegmentStore.usualRememberedBatches() : rememberedBatches;
  }
}

package io.millrace.queuenode.node;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the node keeps its events.
 *
 * @param kind what keeps them
 * @param url of the server: {@code jdbc:mysql://HOST:3306/NAME}; for MYSQL only
 * @param user of the server; for MYSQL only
 * @param passwordFile holds the password; for MYSQL only
 */
public record StoreSettings(
    Kind kind, Optional<String> url, Optional<String> user, Optional<Path> passwordFile) {
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
  }

  public static StoreSettings defaults() {
    return of(Kind.LOG);
  }

  /** A store in the node's data directory. */
  public static StoreSettings of(Kind kind) {
    return new StoreSettings(kind, Optional.empty(), Optional.empty(), Optional.empty());
  }
}

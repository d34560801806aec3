package io.millrace.platform.database;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** Tells from a failure that its connection is gone. Pure. */
final class LostConnections {
  /** MariaDB ended the session; MySQL ended it because the client was silent for too long. */
  private static final Set<Integer> SESSION_ENDED = Set.of(1927, 4031);

  private static final String CONNECTION_STATE = "08";

  private LostConnections() {}

  /** Whether one of the causes says so. */
  static boolean isLost(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && isLost(sql)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isLost(SQLException failure) {
    String state = failure.getSQLState();
    return failure instanceof SQLRecoverableException
        || failure instanceof SQLNonTransientConnectionException
        || failure instanceof SQLTransientConnectionException
        || SESSION_ENDED.contains(failure.getErrorCode())
        || (state != null && state.startsWith(CONNECTION_STATE));
  }
}

package io.millrace.queuenode.store;

import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.platform.database.TornTail;
import io.millrace.platform.time.Clock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Opens segment stores that live in an embedded H2 database file. */
public final class H2SegmentStore {
  private H2SegmentStore() {}

  /**
   * Opens the store in the folder, an empty one when none is there. Blocks.
   *
   * @throws MillraceException STORE_FAILURE when another process has it open or it can't be read;
   *     its files are left as they are
   */
  public static SegmentStore open(Path folder, Clock clock) {
    StoreFolder held = StoreFolder.lock(folder.toAbsolutePath());
    try {
      held.requireWhole();
      return open(held, clock);
    } catch (RuntimeException e) {
      held.close();
      throw e;
    }
  }

  private static SegmentStore open(StoreFolder folder, Clock clock) {
    String url = url(folder);
    Connection connection = null;
    try {
      TornTail.mend(Path.of(folder.database() + ".mv.db"));
      connection = DriverManager.getConnection(url, "sa", "");
      // While this connection is open, Flyway's own ones share its database.
      migrate(url);
      connection.setAutoCommit(false);
      SegmentStore store = new RowSegmentStore(new H2Rows(connection, folder), clock);
      folder.mark("This folder holds the events of a queue node.\n");
      return store;
    } catch (SQLException | FlywayException | StoreFailure e) {
      closeQuietly(connection, e);
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the store in "
              + folder.path()
              + " cannot be read and was left as it is: "
              + e.getMessage()
              + "; bring back a copy of the folder, or move it away to begin with an empty store",
          e);
    }
  }

  /**
   * WRITE_DELAY=0: every commit is written to the file at once (the default loses acknowledged
   * commits on kill -9). RETENTION_TIME: space of old versions is used again after 5 s, else the
   * file grows by 45 s of traffic; safe as long as it is forced to disk more often, which the
   * committer does. DB_CLOSE_ON_EXIT=FALSE: the node closes its store itself.
   */
  private static String url(StoreFolder folder) {
    return "jdbc:h2:file:"
        + folder.database()
        + ";WRITE_DELAY=0;RETENTION_TIME=5000;DB_CLOSE_ON_EXIT=FALSE";
  }

  private static void migrate(String url) {
    Flyway.configure(H2SegmentStore.class.getClassLoader())
        .dataSource(url, "sa", "")
        .locations("classpath:db/migration/queuenode")
        .load()
        .migrate();
  }

  private static void closeQuietly(Connection connection, Exception cause) {
    if (connection == null) {
      return;
    }
    try {
      connection.close();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }
}

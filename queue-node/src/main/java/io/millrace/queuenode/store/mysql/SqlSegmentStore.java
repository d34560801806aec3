package io.millrace.queuenode.store.mysql;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.Clock;
import io.millrace.platform.database.DatabaseServer;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.queuenode.store.CommitSettings.Durability;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.RowSegmentStore;
import io.millrace.queuenode.store.Rows;
import io.millrace.queuenode.store.SegmentStore;
import io.millrace.queuenode.store.StoreFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens segment stores on a MySQL 8+ or MariaDB 10.6+ server.
 *
 * <p>All nodes may use one schema: each node's rows carry the number of its store, which it finds
 * by its name. Two processes cannot serve one store: the last to open it fences the other.
 */
public final class SqlSegmentStore {
  private static final Logger LOGGER = LoggerFactory.getLogger(SqlSegmentStore.class);
  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

  /** Longer than the server keeps the locks of an idle session. */
  private static final Duration LOCK_WITHIN = Duration.ofSeconds(20);

  /** An event may need twice its size in transit. */
  private static final long SMALLEST_PACKET = 4L * NewEvent.MAX_DATA;

  private SqlSegmentStore() {}

  /**
   * Opens the store of the node and migrates its tables; creates an empty store if the node has
   * none. Blocks.
   *
   * @param node the node's name, unique among the nodes of the schema
   * @param durability what acknowledged events must survive; DISK is rejected if the server does
   *     not force commits
   * @param rememberedBatches the most batch names remembered
   * @throws MillraceException STORE_FAILURE if the server cannot be reached or is unsuitable,
   *     CONFIGURATION if the settings are invalid
   */
  public static SegmentStore open(
      SqlStoreSettings settings,
      String node,
      Durability durability,
      int rememberedBatches,
      Clock clock) {
    DatabaseServer server = DatabaseServer.of(database(settings));
    SqlConnection connection = new SqlConnection(server, clock);
    try {
      requireSuitable(connection, durability);
      server.migrate("segments");
      SqlSession session = new SqlSession(connection, node);
      Rows rows = new SqlRows(session, new ServerDao(clock), rememberedBatches);
      SegmentStore store = new RowSegmentStore(rows, clock);
      // Ends the transaction of the reads.
      rows.commit();
      return store;
    } catch (StoreFailure | FlywayException e) {
      connection.close();
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the store of node "
              + node
              + " at "
              + server.place()
              + "  cannot be opened and was not changed:  "
              + e.getMessage()
              + "; check the server, the user and the user's rights to the schema",
          e);
    } catch (RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** The same with the default number of batch names for this process's heap. */
  public static SegmentStore open(
      SqlStoreSettings settings, String node, Durability durability, Clock clock) {
    return open(settings, node, durability, SegmentStore.defaultRememberedBatches(), clock);
  }

  private static DatabaseSettings database(SqlStoreSettings settings) {
    return new DatabaseSettings(
        settings.url(),
        settings.user(),
        settings.password(),
        1,
        CONNECT_WITHIN,
        ANSWER_WITHIN,
        LOCK_WITHIN);
  }

  private static void requireSuitable(SqlConnection connection, Durability durability) {
    long packet = ServerDao.packet(connection.statements(false));
    if (packet < SMALLEST_PACKET) {
      throw unsuitable(
          connection,
          "accepts at most "
              + packet
              + "  bytes per packet (max_allowed_packet); set it to at least 16M");
    }
    long forced = ServerDao.forced(connection.statements(false));
    if (forced != 1 && durability == Durability.DISK) {
      throw unsuitable(
          connection,
          "does not force commits to disk (innodb_flush_log_at_trx_commit is "
              + forced
              + "); set it to 1, or set this node's durability to process");
    }
    if (forced != 1) {
      LOGGER.warn(
          "the server {} does not force commits to disk (innodb_flush_log_at_trx_commit is {});"
              + " a power failure loses acknowledged events",
          connection.place(),
          forced);
    }
    connection.rollback();
  }

  private static MillraceException unsuitable(SqlConnection connection, String why) {
    return new MillraceException(
        ErrorCode.STORE_FAILURE, "the server " + connection.place() + " " + why);
  }

  /**
   * The location of a store on a MySQL 8+ or MariaDB 10.6+ server.
   *
   * @param url {@code jdbc:mysql://HOST:3306/NAME}; the schema exists and may serve several nodes
   * @param user may create, alter and use tables in the schema
   * @param passwordFile contains the password; surrounding white space is ignored. Null for none
   */
  public record SqlStoreSettings(String url, String user, Path passwordFile) {
    /**
     * Reads the password from its file. Blocks.
     *
     * @throws MillraceException CONFIGURATION if the file cannot be read
     */
    String password() {
      if (passwordFile == null) {
        return "";
      }
      try {
        return Files.readString(passwordFile).strip();
      } catch (IOException e) {
        throw new MillraceException(
            ErrorCode.CONFIGURATION,
            "the store's password file " + passwordFile + " cannot be read: " + e,
            e);
      }
    }
  }
}

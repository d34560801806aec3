package io.millrace.queuenode.store.mysql;

import io.millrace.platform.lifecycle.Waiter;
import io.millrace.queuenode.store.StoreFailure;
import io.millrace.queuenode.store.mysql.StoreDao.Opening;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transactions of one opening of a store. Opening raises the store's term; every transaction
 * that changes something first locks the store's row and checks that the term and the number of
 * commits are unchanged. An earlier opener can therefore no longer write, and the outcome of a
 * commit whose answer was lost can be determined. One thread at a time.
 *
 * <p>A lost connection fails the operation in progress; the next use opens a new one. If the row is
 * not as this session left it, memory and tables may differ: the session then fails every operation
 * until the node is restarted.
 */
final class SqlSession implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(SqlSession.class);
  private static final Duration OUTCOME_RETRY_DELAY = Duration.ofMillis(500);
  private static final int OUTCOME_ATTEMPTS = 10;

  private final SqlConnection connection;
  private final String node;
  private Opening opening;
  private boolean changing;
  private String broken;

  SqlSession(SqlConnection connection, String node) {
    this.connection = connection;
    this.node = node;
  }

  /** Opens the node's store, creating it if necessary. Waits for a writer's transaction. */
  long raiseTerm() {
    opening = StoreDao.raise(reading(), node);
    try {
      connection.commit();
    } catch (SQLException e) {
      throw new StoreFailure("the store could not be opened", e);
    }
    return opening.term();
  }

  /** Raises the term of this opening to at least that value, and commits. */
  void raiseTermTo(long floor) {
    if (floor <= opening.term()) {
      return;
    }
    StoreDao.raiseTo(changing(), opening, floor);
    commit();
    opening = new Opening(opening.store(), floor, opening.commits());
  }

  /** The store's number, which identifies its rows among those of other nodes. */
  int store() {
    return opening.store();
  }

  /** For reads, which see committed data and this session's own changes. */
  SqlStatements reading() {
    requireUsable();
    return connection.statements(changing);
  }

  /** For changes, in a transaction that has verified the term and holds the row's lock. */
  SqlStatements changing() {
    SqlStatements sql = reading();
    if (!changing) {
      if (!StoreDao.countCommit(sql, opening)) {
        Opening found = StoreDao.locked(sql, opening.store());
        // Releases the row's lock, which its owner may be waiting for.
        connection.rollback();
        refuseFurtherUse(found);
      }
      changing = true;
    }
    return sql;
  }

  private void refuseFurtherUse(Opening found) {
    String store = "the store of node " + node + " at " + connection.place();
    if (found.term() > opening.term()) {
      broken =
          store
              + " was opened by another process (term "
              + found.term()
              + ", this one has "
              + opening.term()
              + "); stop one of the two, or rename it";
    } else if (found.equals(opening.committed())) {
      broken =
          store
              + "  holds a commit whose answer was lost with the connection; restart this node,"
              + " which then continues from what is stored";
    } else {
      broken =
          store
              + " is not as this node left it: it was restored from an older copy, or the server"
              + " lost commits; restart this node, which then continues from what is stored";
    }
    requireUsable();
  }

  private void requireUsable() {
    if (broken != null) {
      throw new StoreFailure(broken);
    }
  }

  /** Commits the changes; returns once the outcome is known. */
  void commit() {
    if (!changing) {
      rollback();
      return;
    }
    changing = false;
    try {
      connection.commit();
    } catch (SQLException e) {
      LOGGER.warn("a commit got no answer; checking its outcome at {}", connection.place(), e);
      requireCommitted(e);
    }
    opening = opening.committed();
  }

  /**
   * Determines the outcome of a commit that got no answer; waits for a server that is restarting.
   */
  private void requireCommitted(SQLException cause) {
    Opening found = null;
    for (int attempt = 1; found == null; attempt++) {
      try {
        connection.allowReconnect();
        found = StoreDao.locked(reading(), opening.store());
      } catch (StoreFailure e) {
        connection.rollback();
        if (connection.isConnected() || attempt == OUTCOME_ATTEMPTS || !pause()) {
          throw e;
        }
      }
    }
    connection.rollback();
    if (!found.equals(opening.committed())) {
      throw new StoreFailure("the store was not written", cause);
    }
  }

  private static boolean pause() {
    try {
      new Waiter().await(OUTCOME_RETRY_DELAY);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Rolls the transaction back. */
  void rollback() {
    changing = false;
    requireUsable();
    connection.rollback();
  }

  /** Discards what was not committed. */
  @Override
  public void close() {
    changing = false;
    connection.close();
  }
}

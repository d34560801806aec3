package io.millrace.platform.database;

import io.millrace.platform.lifecycle.Waiter;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Repeats transactions that certainly had no effect, a bounded number of times: those that were
 * rolled back in favour of another one, and those whose connection was lost before their commit was
 * sent, for instance because the process was frozen for longer than the server's limit for idle
 * transactions. Thread-safe.
 */
final class Repetition {

  /** Tells of a failure whether its transaction had no effect and may be repeated. */
  @FunctionalInterface
  interface Curable {
    boolean test(RuntimeException failure);
  }

  /** What is repeated. */
  @FunctionalInterface
  interface Work<T, X extends Exception> {
    T run() throws X;
  }

  private static final int ATTEMPTS = 5;
  private static final int FIRST_PAUSE_MILLIS = 5;

  private final Curable curable;
  private final Runnable repeating;
  // Per thread: a nested transaction joins the outer one, and only the outer one can be repeated,
  // because the database has rolled back all of it.
  private final ThreadLocal<Boolean> outer = ThreadLocal.withInitial(() -> true);

  /**
   * @param repeating called before each repetition
   */
  Repetition(Curable curable, Runnable repeating) {
    this.curable = curable;
    this.repeating = repeating;
  }

  /** Whether the calling thread is within {@link #run}. */
  boolean within() {
    return !outer.get();
  }

  <T, X extends Exception> T run(Work<T, X> work) throws X {
    if (!outer.get()) {
      return work.run();
    }
    outer.set(false);
    try {
      return repeat(work);
    } finally {
      outer.remove();
    }
  }

  private <T, X extends Exception> T repeat(Work<T, X> work) throws X {
    for (int attempt = 1; ; attempt++) {
      try {
        return work.run();
      } catch (RuntimeException failure) {
        if (attempt == ATTEMPTS || !curable.test(failure) || !paused(attempt)) {
          throw failure;
        }
        repeating.run();
      }
    }
  }

  /** Waits a random time that doubles with each attempt; false when interrupted. */
  private static boolean paused(int attempt) {
    int longest = FIRST_PAUSE_MILLIS << attempt;
    int millis = ThreadLocalRandom.current().nextInt(1, longest);
    try {
      new Waiter().await(Duration.ofMillis(millis));
      return true;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Whether a failure means that the connection is lost. Pure. */
  static final class LostConnections {
    /** MariaDB ended the session; MySQL ended it because the client was idle for too long. */
    private static final Set<Integer> SESSION_ENDED = Set.of(1927, 4031);

    private static final String CONNECTION_STATE = "08";

    private LostConnections() {}

    /** Whether one of the causes means that. */
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
}

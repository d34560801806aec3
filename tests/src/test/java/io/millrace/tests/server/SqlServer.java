package io.millrace.tests.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/**
 * A MySQL or MariaDB server in which tests create their own schemas. Thread-safe.
 *
 * @param url {@code jdbc:mysql://HOST:PORT/}, without a schema
 * @param running closed at the end of the tests
 */
record SqlServer(String url, String user, String password, Closeable running) implements Closeable {
  static final String URL = "MILLRACE_TEST_MYSQL_URL";
  private static final String USER = "MILLRACE_TEST_MYSQL_USER";
  private static final String PASSWORD = "MILLRACE_TEST_MYSQL_PASSWORD";

  /**
   * The server named by the environment, otherwise a MariaDB of this process. Blocks some seconds
   * while it starts.
   *
   * @throws UnavailableException if there is none and none can run on this machine
   */
  static SqlServer find(Map<String, String> environment) throws UnavailableException {
    String given = environment.get(URL);
    if (given == null) {
      return MariaDb.start();
    }
    return new SqlServer(
        given.endsWith("/") ? given : given + "/",
        environment.getOrDefault(USER, "root"),
        environment.getOrDefault(PASSWORD, ""),
        () -> {});
  }

  @Override
  public void close() throws IOException {
    running.close();
  }

  /** No server can run here; tests that need one are skipped. */
  static final class UnavailableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnavailableException(String reason, Throwable cause) {
      super(
          "no SQL server for tests: "
              + reason
              + "; name one in "
              + URL
              + " (jdbc:mysql://HOST:PORT)",
          cause);
    }
  }
}

package io.millrace.platform.database;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The database and its limits.
 *
 * @param url {@code jdbc:h2:file:PATH}, {@code jdbc:h2:mem:NAME} (lost with the process; tests) or
 *     {@code jdbc:mysql://HOST/NAME} (MySQL 8+ and MariaDB 10.6+)
 * @param poolSize connections kept open
 * @param connectionTimeout how long a caller waits for a free connection
 * @param queryTimeout the longest time of one statement
 * @param lockTimeout how long a statement waits for a row that another transaction holds
 */
public record DatabaseSettings(
    String url,
    String user,
    String password,
    int poolSize,
    Duration connectionTimeout,
    Duration queryTimeout,
    Duration lockTimeout) {

  /** Refuses invalid sizes and times. */
  public DatabaseSettings {
    if (poolSize < 1) {
      throw new IllegalArgumentException("poolSize must be at least 1, not " + poolSize);
    }
    // The connection pool refuses shorter waits, and JDBC counts in whole seconds.
    if (connectionTimeout.toMillis() < 250) {
      throw new IllegalArgumentException("connectionTimeout must be at least 250ms");
    }
    if (queryTimeout.toSeconds() < 1 || lockTimeout.toSeconds() < 1) {
      throw new IllegalArgumentException("queryTimeout and lockTimeout must be at least 1s");
    }
  }

  /** The defaults of everything but the URL. */
  public static DatabaseSettings defaults() {
    return of(null, "", "");
  }

  /** A database server or an H2 URL, with the default sizes and times. */
  public static DatabaseSettings of(String url, String user, String password) {
    return new DatabaseSettings(
        url,
        user,
        password,
        8,
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofSeconds(10));
  }

  /** An embedded H2 database in a file of that name in the folder. */
  public static DatabaseSettings file(Path folder, String name) {
    return of("jdbc:h2:file:" + folder.toAbsolutePath().resolve(name), "sa", "");
  }

  /** An H2 database in memory, for tests. */
  public static DatabaseSettings memory(String name) {
    return of("jdbc:h2:mem:" + name, "sa", "");
  }

  /** These settings with another number of connections. */
  public DatabaseSettings withPoolSize(int size) {
    return new DatabaseSettings(
        url, user, password, size, connectionTimeout, queryTimeout, lockTimeout);
  }

  /** Does not show the password, nor the address, which may contain one. */
  @Override
  public String toString() {
    return "DatabaseSettings[user=%s, poolSize=%d]".formatted(user, poolSize);
  }
}

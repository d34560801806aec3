package io.millrace.manager.app;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.notification.NotificationOutbox.NotificationSettings;
import io.millrace.manager.problem.ProblemSettings;
import io.millrace.manager.queue.QueueSettings;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.http.WebSettings;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of a central manager.
 *
 * @param name for display and metrics; unique among central managers
 * @param dataDirectory directory of its files
 * @param tokensDirectory the cluster's keys and tokens; by default {@code tokens} in the data
 *     directory. Several central managers need the same key pair
 * @param web its listening address
 * @param database the central database; without a URL an H2 file in the data directory, which only
 *     one central manager can use
 * @param heartbeat how often execution nodes send heartbeats
 * @param keepJobs how long ended jobs are kept
 * @param keepSuccessfulWorkers how many successful workers are kept for each queue
 * @param queues settings of the queue side
 * @param notifications how notifications of jobs, tasks and queues are delivered
 * @param problems where problems of the cluster are sent on to
 */
@RecordBuilder
public record CentralSettings(
    String name,
    Path dataDirectory,
    Optional<Path> tokensDirectory,
    WebSettings web,
    DatabaseSettings database,
    Heartbeat heartbeat,
    Duration keepJobs,
    int keepSuccessfulWorkers,
    QueueSettings queues,
    NotificationSettings notifications,
    ProblemSettings problems)
    implements CentralSettingsBuilder.With {
  private static final int USUAL_PORT = 7700;

  public CentralSettings {
    if (keepJobs.isNegative() || keepSuccessfulWorkers < 0) {
      throw new IllegalArgumentException("keepJobs and keepSuccessfulWorkers must not be negative");
    }
  }

  /** The settings of a single central manager on one machine. */
  public static CentralSettings defaults() {
    return new CentralSettings(
        "c1",
        Path.of("data", "central"),
        Optional.empty(),
        WebSettings.loopback(USUAL_PORT),
        DatabaseSettings.defaults(),
        Heartbeat.defaults(),
        Duration.ofDays(7),
        1000,
        QueueSettings.defaults(),
        NotificationSettings.defaults(),
        ProblemSettings.DEFAULT);
  }

  /** Returns these settings with another data directory and listening address. */
  public CentralSettings at(Path directory, WebSettings address) {
    return with(copy -> copy.dataDirectory(directory).web(address));
  }

  /** The directory of keys and tokens. */
  public Path tokens() {
    return tokensDirectory.orElseGet(() -> dataDirectory.resolve("tokens"));
  }

  /**
   * Refuses a server without a named directory of tokens on a database that others may use too: it
   * would make keys of its own, and refuse what they sign.
   *
   * @throws MillraceException CONFIGURATION
   */
  public void requireSharedKeys() {
    String url = database.url();
    if (url != null && !url.startsWith("jdbc:h2:") && tokensDirectory.isEmpty()) {
      throw new MillraceException(
          ErrorCode.CONFIGURATION,
          "tokensDirectory: missing; with a database on a server name the folder of the cluster's keys, which all central managers share or have a copy of");
    }
  }

  /** The database, or the default one. */
  public DatabaseSettings databaseOrFile() {
    return database.url() == null ? DatabaseSettings.file(dataDirectory, "central") : database;
  }
}

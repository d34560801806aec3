package io.millrace.tests.history;

import io.millrace.api.client.ApiClient;
import io.millrace.api.client.CentralClient;
import io.millrace.api.client.Endpoints;
import io.millrace.api.definition.ApplyRequest;
import io.millrace.api.definition.ApplyRequest.SourceFile;
import io.millrace.api.job.JobDraft;
import io.millrace.manager.app.CentralManager;
import io.millrace.manager.app.CentralSettings;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.http.JdkTransport;
import io.millrace.platform.http.WebSettings;
import io.millrace.platform.identity.Role;
import io.millrace.platform.identity.TokenFiles;
import io.millrace.tests.cluster.Folders;
import io.millrace.tests.drill.cluster.Ports;
import io.millrace.tests.history.SlowLog.Entry;
import io.millrace.tests.server.DatabaseProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * A central manager on its own MariaDB with history, observed for a while.
 *
 * @param statements all statements that MariaDB logged meanwhile
 */
record HistoryRun(List<Entry> statements) {
  private static final String SCHEMA = "millrace";
  private static final int WAITING = 20;
  private static final String QUEUE = "{kind: queue, name: queue1, worker: {command: ['true']}}";
  private static final Pattern DELETION = Pattern.compile("(?i)^delete from (\\w+) .*");

  /** Tables into which the loader has put old rows that a duty must delete. */
  private static final Set<String> PRUNED =
      Set.of(
          "array_node",
          "array_usage",
          "attempt",
          "balancing_decision",
          "balancing_move",
          "decision",
          "element_ids",
          "ended_elements",
          "idempotency_key",
          "job",
          "job_event",
          "job_tag",
          "minute_sample",
          "node_sample",
          "notice",
          "pacing_override",
          "queue_sample",
          "usage_profile");

  /** Runs it and prints the examined rows. */
  static HistoryRun of(long jobs, long seconds) throws Exception {
    Path folder = Files.createTempDirectory("millrace-history");
    int port = new Ports(new SplittableRandom()).free();
    try (DatabaseProcess server =
        DatabaseProcess.create(
            folder,
            port,
            SCHEMA,
            Map.of(),
            "--innodb-buffer-pool-size=" + Math.min(3L << 30, (256L << 20) + jobs * 800),
            "--innodb-log-file-size=" + Math.min(2L << 30, (64L << 20) + jobs * 400),
            "--innodb-sort-buffer-size=" + (16L << 20),
            // The data does not need to survive a crash of the server.
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-doublewrite=0")) {
      String url = "jdbc:mysql://127.0.0.1:" + port + "/" + SCHEMA;
      DatabaseSettings settings =
          DatabaseSettings.of(url, DatabaseProcess.USER, DatabaseProcess.PASSWORD);
      Database.open(settings, List.of("platform", "central")).close();
      new HistoryLoader(url, jobs).load();
      Path log = folder.resolve("slow.log");
      server.administer(
          "set global slow_query_log_file = '" + log + "'",
          "set global long_query_time = 0",
          "set global log_slow_min_examined_row_limit = 0",
          "set global log_output = 'FILE'",
          "set global slow_query_log = 1");
      watch(settings, folder, Duration.ofSeconds(seconds));
      server.administer("set global slow_query_log = 0");
      List<Entry> all = SlowLog.read(log, SCHEMA);
      print(all);
      return new HistoryRun(all);
    } finally {
      Folders.delete(folder);
    }
  }

  /** Statements that examined more than 100 rows and ten times those returned or changed. */
  List<Entry> tooMany() {
    return statements.stream()
        .filter(entry -> entry.excess() > 0)
        // Statements of the migrations at a start: proportional to the number of tables, not of
        // rows.
        .filter(entry -> !entry.text().contains("information_schema."))
        .toList();
  }

  /** Tables with rows due for deletion from which no duty deleted any. */
  Set<String> notPruned() {
    Set<String> left = new TreeSet<>(PRUNED);
    for (Entry entry : statements) {
      Matcher deletion = DELETION.matcher(entry.text());
      if (deletion.matches() && entry.total() > 0) {
        left.remove(deletion.group(1));
      }
    }
    return left;
  }

  private static void watch(DatabaseSettings database, Path folder, Duration time) {
    CentralManager manager =
        new CentralManager(
            CentralSettings.defaults()
                .withDataDirectory(folder.resolve("c1"))
                .withTokensDirectory(Optional.of(folder.resolve("tokens")))
                .withWeb(WebSettings.loopback(0))
                .withDatabase(database),
            new SystemClock());
    manager.start();
    try {
      CentralClient client = client(manager);
      client.apply(new ApplyRequest(List.of(new SourceFile("queue.yaml", QUEUE)), false));
      for (int job = 0; job < WAITING; job++) {
        client.submit(JobDraft.command("true").pool("none").spec());
      }
      long end = System.nanoTime() + time.toNanos();
      // By then every duty has run, those with an interval of a minute at least twice.
      Awaitility.await()
          .atMost(time.plusMinutes(1))
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> {
                client.overview();
                return System.nanoTime() > end;
              });
    } finally {
      manager.stop();
    }
  }

  private static CentralClient client(CentralManager manager) {
    String token = TokenFiles.read(TokenFiles.of(manager.tokens(), Role.ADMIN));
    return new CentralClient(
        new ApiClient(new JdkTransport(), new Endpoints(List.of(manager.address())), () -> token));
  }

  private static void print(List<Entry> entries) {
    System.out.println("| examined | returned or changed | runs | longest | statement |");
    System.out.println("| ---: | ---: | ---: | ---: | --- |");
    for (Entry entry : entries) {
      System.out.printf(
          "| %,d | %,d | %,d | %.3f s | %s`%s` |%n",
          entry.examined(),
          entry.result(),
          entry.runs(),
          entry.seconds(),
          entry.excess() > 0 ? "**too many** " : "",
          entry.text().substring(0, Math.min(180, entry.text().length())));
    }
  }
}

package io.millrace.platform.database;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.IMetricsTracker;
import com.zaxxer.hikari.metrics.PoolStats;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * Measures the statements and connections of a database (docs/metrics.md). Labels are the kinds of
 * statements and the tables of the schema, never values. Thread-safe, never blocks.
 */
final class DatabaseMeters implements SqlLogger, IMetricsTracker {
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(30)
  };

  private final MeterRegistry registry;
  private final Map<String, Timer> byKind = new ConcurrentHashMap<>();
  private final Map<StatementKind, Timer> byTable = new ConcurrentHashMap<>();
  private final Map<StatementKind, Counter> failures = new ConcurrentHashMap<>();
  private final StatementKinds kinds = new StatementKinds();
  private final Timer waited;
  private final Timer used;
  private final Counter timeouts;
  private final PoolStats pool;

  private DatabaseMeters(MeterRegistry registry, PoolStats pool, LongAdder repetitions) {
    this.registry = registry;
    this.pool = pool;
    this.waited =
        Timer.builder("millrace.database.connection.wait")
            .description("time that a caller waited for a connection of the pool")
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
    this.used =
        Timer.builder("millrace.database.connection.use")
            .description("time that a caller kept a connection: a transaction, or single reads")
            .serviceLevelObjectives(BUCKETS)
            .register(registry);
    this.timeouts =
        Counter.builder("millrace.database.connection.timeouts")
            .description("calls that got no connection in time")
            .register(registry);
    FunctionCounter.builder("millrace.database.repetitions", repetitions, LongAdder::sum)
        .description("transactions repeated after a deadlock, a lock timeout or a lost connection")
        .register(registry);
    connections("active", PoolStats::getActiveConnections);
    connections("idle", PoolStats::getIdleConnections);
    Gauge.builder("millrace.database.connections.limit", pool, PoolStats::getMaxConnections)
        .description("the most connections of the pool")
        .register(registry);
    Gauge.builder("millrace.database.connections.waiting", pool, PoolStats::getPendingThreads)
        .description("callers waiting for a connection")
        .register(registry);
  }

  /**
   * Measures the connections of a pool from now on; at most once for each pool.
   *
   * @return measures statements, and is to be kept as long as they run
   */
  static DatabaseMeters of(HikariDataSource source, MeterRegistry registry, LongAdder repetitions) {
    DatabaseMeters[] made = new DatabaseMeters[1];
    source.setMetricsTrackerFactory(
        (name, stats) -> {
          made[0] = new DatabaseMeters(registry, stats, repetitions);
          return made[0];
        });
    return made[0];
  }

  private void connections(String state, ToDoubleFunction<PoolStats> number) {
    Gauge.builder("millrace.database.connections", pool, number)
        .tags("state", state)
        .description("open connections of the pool")
        .register(registry);
  }

  @Override
  public void logAfterExecution(StatementContext context) {
    StatementKind statement = kinds.of(context.getRawSql());
    long nanos = context.getElapsedTime(ChronoUnit.NANOS);
    byKind
        .computeIfAbsent(statement.verb(), this::timer)
        .record(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    byTable
        .computeIfAbsent(statement, this::tableTimer)
        .record(Math.max(0, nanos), TimeUnit.NANOSECONDS);
  }

  @Override
  public void logException(StatementContext context, SQLException failure) {
    failures.computeIfAbsent(kinds.of(context.getRawSql()), this::failureCounter).increment();
  }

  private Timer timer(String verb) {
    return Timer.builder("millrace.database.statement")
        .tags("kind", verb)
        .description("time to execute a statement, without reading its rows")
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }

  private Timer tableTimer(StatementKind statement) {
    return Timer.builder("millrace.database.table")
        .tags("kind", statement.verb(), "table", statement.table())
        .description("time to execute statements, by the first table that they name")
        .register(registry);
  }

  private Counter failureCounter(StatementKind statement) {
    return Counter.builder("millrace.database.failures")
        .tags("kind", statement.verb(), "table", statement.table())
        .description("statements that failed, including those of repeated transactions")
        .register(registry);
  }

  @Override
  public void recordConnectionAcquiredNanos(long nanos) {
    waited.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void recordConnectionUsageMillis(long millis) {
    used.record(millis, TimeUnit.MILLISECONDS);
  }

  @Override
  public void recordConnectionTimeout() {
    timeouts.increment();
  }

  /**
   * What a statement is counted as.
   *
   * @param verb select, insert, update, delete or other
   * @param table the first table that it names; other if it is none, or one too many
   */
  record StatementKind(String verb, String table) {}

  /** Finds the kinds of statements. Thread-safe. */
  static final class StatementKinds {
    private static final String OTHER = "other";
    // Some statements are composed for a search; those beyond the bound are read again each time.
    private static final int MAX_KEPT = 1000;
    // Far more than the schema has.
    private static final int MAX_TABLES = 150;
    private static final Pattern STATEMENT =
        Pattern.compile(
            "\\s*(?:update\\s+|(?:select|delete|insert)\\b.*?\\b(?:from|into)\\s+)([a-z][a-z0-9_]*)\\b.*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern VERB =
        Pattern.compile("\\s*(select|insert|update|delete)\\b", Pattern.CASE_INSENSITIVE);

    private final Map<String, StatementKind> kept = new ConcurrentHashMap<>();
    private final Set<String> tables = ConcurrentHashMap.newKeySet();

    /** The kind of a statement with its parameters still named. */
    StatementKind of(String sql) {
      StatementKind known = kept.get(sql);
      if (known != null) {
        return known;
      }
      StatementKind read = read(sql);
      if (kept.size() < MAX_KEPT) {
        kept.put(sql, read);
      }
      return read;
    }

    private StatementKind read(String sql) {
      Matcher verb = VERB.matcher(sql);
      if (!verb.lookingAt()) {
        return new StatementKind(OTHER, OTHER);
      }
      Matcher statement = STATEMENT.matcher(sql);
      String table = statement.matches() ? statement.group(1).toLowerCase(Locale.ROOT) : OTHER;
      return new StatementKind(verb.group(1).toLowerCase(Locale.ROOT), bounded(table));
    }

    private String bounded(String table) {
      if (tables.contains(table)) {
        return table;
      }
      return tables.size() < MAX_TABLES && tables.add(table) ? table : OTHER;
    }
  }
}

package io.millrace.platform.database;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * Migrates the tables of one module.
 *
 * <p>Each module has a folder {@code db/migration/NAME} of {@code VNNN__what.sql} files and a
 * history table {@code migration_NAME}, so that modules number their files independently. The first
 * file is the module's baseline, frozen from the first release on: every statement of it can be
 * repeated ({@code if not exists}), because MySQL cannot roll back the statements of a file that
 * was interrupted. Each later file holds one statement of schema change, for the same reason.
 */
final class Migrations {
  private static final String LOCK = "millrace_migration";
  private static final int TIMEOUT_SECONDS = 120;
  private static final String BASELINE = "baseline";
  private static final String FIRST_VERSION = "0.1";

  private Migrations() {}

  /**
   * Migrates; processes that share a server do so one after the other, because Flyway's lock does
   * not cover the creation of its history table.
   */
  static void run(DataSource source, Dialect dialect, String name) {
    run(source, dialect, name, "latest");
  }

  /** The same up to a version, or to the {@code latest} one. */
  static void run(DataSource source, Dialect dialect, String name, String version) {
    if (dialect != Dialect.MYSQL) {
      migrate(source, dialect, name, version);
      return;
    }
    try (Connection guard = source.getConnection();
        Statement statement = guard.createStatement()) {
      ask(statement, "select get_lock('" + LOCK + "', " + TIMEOUT_SECONDS + ")");
      try {
        migrate(source, dialect, name, version);
      } finally {
        ask(statement, "select release_lock('" + LOCK + "')");
      }
    } catch (SQLException e) {
      throw new MillraceException(
          ErrorCode.STORE_FAILURE,
          "the tables of " + name + " could not be brought up to date: " + e.getMessage(),
          e);
    }
  }

  private static void ask(Statement statement, String sql) throws SQLException {
    try (ResultSet answer = statement.executeQuery(sql)) {
      if (!answer.next() || answer.getInt(1) != 1) {
        throw new SQLException("another process has held the lock " + LOCK + " for too long");
      }
    }
  }

  private static void migrate(DataSource source, Dialect dialect, String name, String version) {
    MigrationVersion target = MigrationVersion.fromVersion(version);
    refuseUnknown(configured(source, dialect, name).load(), name, target);
    Flyway flyway = configured(source, dialect, name).target(target).load();
    refuseOlderThanBaseline(flyway, name);
    flyway.migrate();
  }

  private static void refuseUnknown(Flyway flyway, String name, MigrationVersion target) {
    if (target.equals(MigrationVersion.LATEST)) {
      return;
    }
    for (MigrationInfo known : flyway.info().all()) {
      if (target.equals(known.getVersion())) {
        return;
      }
    }
    throw new MillraceException(
        ErrorCode.CONFIGURATION,
        "this version of Millrace does not know version %s of the %s tables; use the version that wrote them, or a newer one"
            .formatted(target, name));
  }

  /** The version that the tables of the module have. */
  static String version(DataSource source, Dialect dialect, String name) {
    return configured(source, dialect, name).load().info().current().getVersion().getVersion();
  }

  /**
   * Tables whose history does not begin with the baseline were created by a development version.
   * Flyway would take them for tables of a newer version and continue with missing columns.
   */
  private static void refuseOlderThanBaseline(Flyway flyway, String name) {
    for (MigrationInfo applied : flyway.info().applied()) {
      if (applied.getState() == MigrationState.BASELINE) {
        continue;
      }
      if (!BASELINE.equals(applied.getDescription()) || !applied.isChecksumMatching()) {
        throw new MillraceException(
            ErrorCode.STORE_FAILURE,
            "the database (%s tables) was created by a Millrace version before %s, which this version cannot read; nothing was changed. Start with a new data folder (--data), or with a new database and new data directories for all nodes, and finish the old work with the old version"
                .formatted(name, FIRST_VERSION));
      }
      return;
    }
  }

  private static FluentConfiguration configured(DataSource source, Dialect dialect, String name) {
    return Flyway.configure()
        .dataSource(source)
        .locations("classpath:db/migration/" + name)
        .failOnMissingLocations(true)
        .validateMigrationNaming(true)
        .table("migration_" + name)
        // Tables of other modules exist already; nothing of this module is skipped.
        .baselineOnMigrate(true)
        .baselineVersion("0")
        .placeholders(Map.of("tableOptions", dialect.tableOptions()));
  }
}

package io.millrace.platform.database;

import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Brings the tables of one module up to date.
 *
 * <p>Each module has a folder {@code db/migration/NAME} of {@code VNNN__what.sql} files and a
 * history table {@code migration_NAME}, so modules number their files independently. A file holds
 * one statement of schema change: MySQL can't roll such statements back together.
 */
final class Migrations {

  private Migrations() {}

  static void run(DataSource source, Dialect dialect, String name) {
    Flyway.configure()
        .dataSource(source)
        .locations("classpath:db/migration/" + name)
        .failOnMissingLocations(true)
        .validateMigrationNaming(true)
        .table("migration_" + name)
        // Tables of other modules are there already; nothing of this module's is skipped by it.
        .baselineOnMigrate(true)
        .baselineVersion("0")
        .placeholders(Map.of("tableOptions", dialect.tableOptions()))
        .load()
        .migrate();
  }
}

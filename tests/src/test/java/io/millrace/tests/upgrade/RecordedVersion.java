package io.millrace.tests.upgrade;

import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jdbi.v3.core.Handle;

/**
 * The data directory of a cluster that ran an earlier version and was killed, recorded by {@code
 * src/test/upgrade/record} and unpacked into a folder. Not thread-safe.
 *
 * @param folder the data directory
 */
record RecordedVersion(Path folder) {

  /** Unpacks a recording into an empty folder, with the modes that servers create. */
  static RecordedVersion unpack(String name, Path folder) throws IOException {
    try (InputStream in = RecordedVersion.class.getResourceAsStream("/upgrade/" + name + ".zip");
        ZipInputStream zip = new ZipInputStream(in)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path target = folder.resolve(entry.getName()).normalize();
        if (entry.isDirectory()) {
          Files.createDirectories(target);
          continue;
        }
        Files.createDirectories(target.getParent());
        Files.copy(zip, target);
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-------"));
      }
    }
    return new RecordedVersion(folder);
  }

  /** When the cluster was killed. */
  Instant recordedAt() throws IOException {
    return Instant.parse(Files.readString(folder.resolve("recorded-at")).strip());
  }

  /**
   * Moves every time in the central database as if the cluster had been killed just now; otherwise
   * a recording would soon contain nothing but what the retention deletes.
   */
  void bringForward() throws IOException {
    long millis = Duration.between(recordedAt(), Instant.now()).toMillis();
    try (Database database = central()) {
      database.transaction(
          handle -> {
            columns(handle).forEach(column -> column.add(handle, millis));
            return null;
          });
    }
  }

  /** For when a task is planned next, as it is stored; no server may have the database open. */
  Instant plannedNext(String task) {
    try (Database database = central()) {
      return database.read(
          handle ->
              handle
                  .createQuery("select next_at from task_schedule where task = :task")
                  .bind("task", task)
                  .mapTo(Instant.class)
                  .one());
    }
  }

  private Database central() {
    return Database.open(DatabaseSettings.file(folder.resolve("central"), "central"), List.of());
  }

  private static List<TimeColumn> columns(Handle handle) {
    return handle
        .createQuery(
            """
            select table_name, column_name from information_schema.columns
            where table_schema = 'PUBLIC' and data_type like 'TIMESTAMP%'
            """)
        .map((row, context) -> new TimeColumn(row.getString(1), row.getString(2)))
        .list();
  }

  private record TimeColumn(String table, String column) {
    void add(Handle handle, long millis) {
      handle
          .createUpdate("update <table> set <column> = dateadd(MILLISECOND, :millis, <column>)")
          .define("table", '"' + table + '"')
          .define("column", '"' + column + '"')
          .bind("millis", millis)
          .execute();
    }
  }
}

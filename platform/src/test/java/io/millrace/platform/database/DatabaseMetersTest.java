package io.millrace.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.platform.database.DatabaseMeters.StatementKind;
import io.millrace.platform.database.DatabaseMeters.StatementKinds;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseMetersTest {
  @TempDir Path folder;

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private Database database;

  @BeforeEach
  void open() {
    database = Database.open(DatabaseSettings.file(folder, "measured"), List.of());
    database.measure(registry);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void statementsAreTimedByKindAndTable() {
    database.transaction(handle -> handle.execute("create table drawer (id bigint)"));
    database.transaction(handle -> handle.execute("insert into drawer (id) values (7)"));
    database.read(
        handle ->
            handle
                .createQuery("select id\nfrom drawer\nwhere id = :id")
                .bind("id", 7)
                .mapTo(Long.class)
                .list());
    database.transaction(
        handle -> handle.prepareBatch("update drawer set id = :id").bind("id", 8).add().execute());

    assertThat(statements("insert", "drawer")).isEqualTo(1);
    assertThat(statements("select", "drawer")).isEqualTo(1);
    assertThat(statements("update", "drawer")).isEqualTo(1);
    assertThat(registry.get("millrace.database.statement").tags("kind", "select").timer().count())
        .isEqualTo(1);
  }

  @Test
  void aFailedStatementIsCounted() {
    database.transaction(handle -> handle.execute("create table drawer (id bigint primary key)"));
    String same = "insert into drawer (id) values (7)";
    database.transaction(handle -> handle.execute(same));

    assertThatThrownBy(() -> database.transaction(handle -> handle.execute(same))).isNotNull();

    Tags drawer = Tags.of("kind", "insert", "table", "drawer");
    assertThat(registry.get("millrace.database.failures").tags(drawer).counter().count())
        .isEqualTo(1);
  }

  @Test
  void theTimeOfEachConnectionIsMeasured() {
    database.now();

    assertThat(registry.get("millrace.database.connection.wait").timer().count()).isEqualTo(1);
    assertThat(registry.get("millrace.database.connection.use").timer().count()).isEqualTo(1);
    assertThat(registry.get("millrace.database.connections.limit").gauge().value())
        .isEqualTo(DatabaseSettings.defaults().poolSize());
  }

  @Test
  void aRepeatedTransactionIsCounted() {
    int[] tries = {0};

    database.transaction(
        handle -> {
          if (tries[0]++ == 0) {
            throw new UnableToExecuteStatementException(
                new SQLException("deadlock", "40001", 40001), null);
          }
          return null;
        });

    assertThat(registry.get("millrace.database.repetitions").functionCounter().count())
        .isEqualTo(1);
  }

  @Test
  void theTableIsTheFirstOneThatAStatementNames() {
    StatementKinds kinds = new StatementKinds();

    assertThat(kinds.of("\nselect a\nfrom job as j join node as n"))
        .isEqualTo(kind("select", "job"));
    assertThat(kinds.of("insert ignore into claim (resource)")).isEqualTo(kind("insert", "claim"));
    assertThat(kinds.of("update job\nset state = 'x'")).isEqualTo(kind("update", "job"));
    assertThat(kinds.of("DELETE FROM hint WHERE id in (<ids>)")).isEqualTo(kind("delete", "hint"));
    assertThat(kinds.of("SELECT CURRENT_TIMESTAMP(6)")).isEqualTo(kind("select", "other"));
    assertThat(kinds.of("CHECKPOINT SYNC")).isEqualTo(kind("other", "other"));
  }

  @Test
  void theNumberOfTablesIsBounded() {
    StatementKinds kinds = new StatementKinds();
    Set<String> tables = new HashSet<>();

    for (int i = 0; i < 2_000; i++) {
      tables.add(kinds.of("select 1 from table" + i).table());
    }

    assertThat(tables).hasSize(151).contains("other");
  }

  private long statements(String kind, String table) {
    return registry
        .get("millrace.database.table")
        .tags("kind", kind, "table", table)
        .timer()
        .count();
  }

  private static StatementKind kind(String verb, String table) {
    return new StatementKind(verb, table);
  }
}

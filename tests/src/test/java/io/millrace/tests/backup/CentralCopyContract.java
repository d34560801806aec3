package io.millrace.tests.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.JobDraft;
import io.millrace.api.job.JobState;
import io.millrace.api.job.JobView;
import io.millrace.manager.backup.CentralCopy;
import io.millrace.manager.backup.CentralRestore;
import io.millrace.manager.backup.CentralRestore.RestoreOptions;
import io.millrace.manager.backup.CentralRestore.Restored;
import io.millrace.manager.backup.CopiedTables;
import io.millrace.manager.job.JobLedger;
import io.millrace.manager.job.JobQueries;
import io.millrace.manager.job.WakeUps;
import io.millrace.manager.node.Heartbeat;
import io.millrace.manager.node.NodeIdentities;
import io.millrace.manager.placement.ShapeDao;
import io.millrace.platform.clock.SystemClock;
import io.millrace.platform.database.Database;
import io.millrace.platform.database.DatabaseSettings;
import io.millrace.platform.database.TableRows;
import io.millrace.platform.identity.NodeIdentity;
import io.millrace.platform.identity.Principal;
import io.millrace.platform.identity.Role;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of the central database, on every kind of database and from one kind to the other. */
abstract class CentralCopyContract {
  private static final String TEXT = "é\n\"x\"\t{}";

  @TempDir private Path folder;
  private long first;

  /** A new, empty database. */
  protected abstract DatabaseSettings settings() throws SQLException;

  @Test
  void theTablesOfACopyAreThoseOfTheMigrations() throws SQLException {
    try (Database database = Database.open(settings(), CopiedTables.MODULES)) {
      List<String> tables =
          database.read(
              handle ->
                  handle
                      .createQuery(
                          "select table_name from information_schema.tables where table_schema ="
                              + " schema()")
                      .mapTo(String.class)
                      .map(name -> name.toLowerCase(Locale.ROOT))
                      .list());
      List<String> listed = new ArrayList<>(CopiedTables.ALL);
      listed.addAll(CopiedTables.LEFT_OUT);
      assertThat(listed).doesNotHaveDuplicates();
      assertThat(tables.stream().filter(name -> !name.startsWith("migration_")))
          .as("tables of migrations; add a new one to CopiedTables, with or without its rows")
          .containsExactlyInAnyOrderElementsOf(listed);
    }
  }

  @Test
  void aCopyIsOfOneMomentWhateverChangesMeanwhile() throws Exception {
    try (Database database = open(settings())) {
      JobLedger ledger = ledger(database);
      long before = submit(ledger, "first");
      List<String> seen = new ArrayList<>();
      database.export(
          List.of("lane", "job", "job_event"),
          new TableRows() {
            private String table;

            @Override
            public void table(String name, List<String> columns) {
              table = name;
              if (name.equals("lane")) {
                // After the moment of the copy, before the tables that it changes are read.
                submit(ledger, "second");
              }
            }

            @Override
            public void row(List<Object> values) {
              seen.add(table);
            }
          });
      assertThat(seen).as("job %d and its event", before).containsExactly("job", "job_event");
      assertThat(submit(ledger, "third")).isGreaterThan(before + 1);
    }
  }

  @Test
  void aCopyCanBeRestoredToADatabaseOfTheSameKind() throws Exception {
    byte[] copy = copy();
    verify(copy, settings());
  }

  @Test
  void aCopyCanBeRestoredToADatabaseInAFile() throws Exception {
    verify(copy(), DatabaseSettings.file(folder.resolve("other"), "central"));
  }

  @Test
  void withdrawalsOfTheReplacedDatabaseAreKept() throws Exception {
    NodeIdentity known = new NodeIdentity(Role.EXECUTION_NODE, "e7", UUID.randomUUID());
    NodeIdentity joinedSince = new NodeIdentity(Role.EXECUTION_NODE, "e8", UUID.randomUUID());
    byte[] copy;
    DatabaseSettings target = settings();
    try (Database database = open(target)) {
      identities(database).require(Principal.of(known));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      CentralCopy.write(database, out);
      copy = out.toByteArray();
      identities(database).require(Principal.of(joinedSince));
      identities(database).withdraw("e7", "ann");
      identities(database).withdraw("e8", "ann");
    }
    new CentralRestore(target, Heartbeat.defaults())
        .run(
            () -> new ByteArrayInputStream(copy),
            new RestoreOptions("backup", true, Duration.ZERO, false));
    try (Database database = open(target)) {
      assertThat(identities(database).withdrawn())
          .containsExactlyInAnyOrder(known.id(), joinedSince.id());
    }
  }

  @Test
  void theNextIdIsKnownWhetherTheLastRowIsStillThereOrNotAndIsNeverLowered() throws Exception {
    try (Database database = open(settings())) {
      assertThat(database.nextIds(List.of("notice", "lane"))).isEqualTo(Map.of("notice", 1L));
      JobLedger ledger = ledger(database);
      long last = submit(ledger, "last");
      database.transaction(handle -> handle.execute("delete from job where id = ?", last));
      assertThat(database.nextIds(List.of("job")).get("job")).isGreaterThan(last);
      database.load(Map.of("job", 1_000_000L), load -> null);
      database.load(Map.of("job", 500_000L), load -> null);
      assertThat(submit(ledger, "next")).isEqualTo(1_000_000);
      assertThat(database.nextIds(List.of("job"))).isEqualTo(Map.of("job", 1_000_001L));
    }
  }

  private static NodeIdentities identities(Database database) {
    return new NodeIdentities(database, new SystemClock());
  }

  /** Jobs with what differs between databases: no value, times, booleans, long texts. */
  private byte[] copy() throws Exception {
    try (Database database = open(settings())) {
      JobLedger ledger = ledger(database);
      first = ledger.submit("ann", JobDraft.command("/bin/echo", TEXT).name("ünï").spec()).id();
      ledger.submit("ann", JobDraft.command("/bin/true").lane("db").spec());
      ledger.submit("ann", JobDraft.command("/bin/true").lane("db").spec());
      ByteArrayOutputStream copy = new ByteArrayOutputStream();
      CentralCopy.write(database, copy);
      return copy.toByteArray();
    }
  }

  private void verify(byte[] copy, DatabaseSettings target) throws IOException {
    Restored restored =
        new CentralRestore(target, Heartbeat.defaults())
            .run(
                () -> new ByteArrayInputStream(copy),
                new RestoreOptions("backup", true, Duration.ZERO, false));
    assertThat(restored.unfinished()).isEqualTo(Map.of("WAITING", 2L, "BLOCKED", 1L));
    try (Database database = open(target)) {
      JobView job = new JobQueries(database, new WakeUps()).view(first);
      assertThat(job.name()).isEqualTo("ünï");
      assertThat(job.state()).isEqualTo(JobState.WAITING);
      assertThat(job.submittedAt()).isBefore(restored.takenAt());
      assertThat(new JobQueries(database, new WakeUps()).details(first).spec().command())
          .containsExactly("/bin/echo", TEXT);
      assertThat(submit(ledger(database), "next")).isEqualTo(restored.firstNewJob());
    }
  }

  private static Database open(DatabaseSettings settings) {
    return Database.open(settings, CopiedTables.MODULES);
  }

  private static JobLedger ledger(Database database) {
    return new JobLedger(
        database, new WakeUps(), new ShapeDao(database.dialect(), new SystemClock()));
  }

  private static long submit(JobLedger ledger, String name) {
    return ledger.submit("ann", JobDraft.command("/bin/true").name(name).spec()).id();
  }
}

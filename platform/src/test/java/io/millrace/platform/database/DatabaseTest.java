package io.millrace.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.lifecycle.Threads;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class DatabaseTest {

  private static final List<String> NO_MIGRATIONS = List.of();

  @TempDir Path folder;
  private Database database;

  @BeforeEach
  void open() {
    database = Database.open(DatabaseSettings.file(folder, "test"), List.of("platform"));
    execute("CREATE TABLE thing (id BIGINT PRIMARY KEY, amount INT NOT NULL, at DATETIME(6))");
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void reopeningFindsWhatWasCommittedAndMigratesNothingAgain() {
    execute("INSERT INTO thing (id, amount) VALUES (1, 5)");
    database.close();

    database = Database.open(DatabaseSettings.file(folder, "test"), List.of("platform"));

    assertThat(amount(1)).isEqualTo(5);
  }

  @Test
  void aFailedTransactionLeavesNothing() {
    assertThatThrownBy(
            () ->
                database.transaction(
                    handle -> {
                      handle.execute("INSERT INTO thing (id, amount) VALUES (1, 5)");
                      throw new IOException("after the insert");
                    }))
        .isInstanceOf(IOException.class);

    assertThat(count()).isZero();
  }

  @Test
  void aTransactionThatLostADeadlockIsRepeatedAsAWhole() throws Exception {
    execute("INSERT INTO thing (id, amount) VALUES (1, 0), (2, 0)");
    CountDownLatch otherHoldsOne = new CountDownLatch(1);
    CountDownLatch bothHoldOne = new CountDownLatch(2);
    AtomicInteger runs = new AtomicInteger();

    // Not through the database's transactions, of which there is one at a time.
    CompletableFuture<Void> other =
        inBackground(
            () ->
                database.read(
                    handle ->
                        handle.inTransaction(
                            transaction -> {
                              add(transaction, 1);
                              otherHoldsOne.countDown();
                              bothHoldOne.countDown();
                              bothHoldOne.await();
                              return add(transaction, 2);
                            })));
    otherHoldsOne.await();
    // The younger of the two, and therefore the victim.
    database.transaction(
        handle -> {
          runs.incrementAndGet();
          add(handle, 2);
          bothHoldOne.countDown();
          return add(handle, 1);
        });
    other.get(60, TimeUnit.SECONDS);

    assertThat(amount(1)).isEqualTo(2);
    assertThat(amount(2)).isEqualTo(2);
    assertThat(runs.get()).isGreaterThan(1);
  }

  @Test
  void transactionsRunOneAtATime() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int number = 1; number <= 4; number++) {
      long id = number;
      writers.add(
          inBackground(
              () -> {
                for (int round = 0; round < 50; round++) {
                  database.transaction(
                      handle -> {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        handle.execute("MERGE INTO thing (id, amount) KEY (id) VALUES (?, 1)", id);
                        return running.decrementAndGet();
                      });
                }
              }));
    }
    for (CompletableFuture<Void> writer : writers) {
      writer.get(60, TimeUnit.SECONDS);
    }

    assertThat(count()).isEqualTo(4);
    assertThat(most).hasValue(1);
  }

  @Test
  void repetitionIsBounded() {
    AtomicInteger runs = new AtomicInteger();

    assertThatThrownBy(
            () ->
                database.transaction(
                    handle -> {
                      runs.incrementAndGet();
                      throw new IllegalStateException(new SQLException("deadlock", "40001", 40001));
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(runs).hasValue(5);
  }

  @Test
  void ofNestedTransactionsOnlyTheOuterOneIsRepeatedSoThatNothingOfItIsLost() {
    AtomicInteger runs = new AtomicInteger();

    database.transaction(
        outer -> {
          outer.execute("INSERT INTO thing (id, amount) VALUES (1, 5)");
          return database.transaction(
              inner -> {
                if (runs.incrementAndGet() == 1) {
                  throw new IllegalStateException(new SQLException("deadlock", "40001", 40001));
                }
                return inner.execute("INSERT INTO thing (id, amount) VALUES (2, 5)");
              });
        });

    assertThat(runs).hasValue(2);
    assertThat(count()).isEqualTo(2);
  }

  @Test
  void otherFailuresAreNotRepeated() {
    AtomicInteger runs = new AtomicInteger();

    assertThatThrownBy(
            () ->
                database.transaction(
                    handle -> {
                      runs.incrementAndGet();
                      return handle.execute("INSERT INTO missing VALUES (1)");
                    }))
        .hasMessageContaining("missing");

    assertThat(runs).hasValue(1);
  }

  @Test
  void instantsAreStoredInUtcToTheMicrosecondWhateverTheZoneOfTheJvm() {
    // Two instants that are the same local time in New York, where summer time ended between them.
    Instant summer = Instant.parse("2026-11-01T05:30:00.123456789Z");
    Instant winter = Instant.parse("2026-11-01T06:30:00.123456789Z");
    TimeZone usual = TimeZone.getDefault();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
      insert(1, summer);
      insert(2, winter);

      assertThat(at(1)).isEqualTo(Instant.parse("2026-11-01T05:30:00.123456Z"));
      assertThat(at(2)).isEqualTo(Instant.parse("2026-11-01T06:30:00.123456Z"));
    } finally {
      TimeZone.setDefault(usual);
    }
    assertThat(storedText(1)).startsWith("2026-11-01 05:30:00.123456");
    insert(3, null);
    assertThat(at(3)).isNull();
  }

  @Test
  void theDatabasesClockIsInUtcWhateverTheZoneOfTheJvm() {
    TimeZone usual = TimeZone.getDefault();
    database.close();
    try {
      TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
      database = Database.open(DatabaseSettings.file(folder, "test"), NO_MIGRATIONS);

      Instant now = database.now();

      // Hours would be off with a wrong zone.
      assertThat(Duration.between(now, Instant.now()).abs()).isLessThan(Duration.ofMinutes(10));
    } finally {
      TimeZone.setDefault(usual);
    }
  }

  @Test
  void theDatabaseClockAdvancesWithinATransaction() {
    boolean advanced =
        database.transaction(
            handle -> {
              Instant first = clock(handle);
              for (int i = 0; i < 1_000_000; i++) {
                if (clock(handle).isAfter(first)) {
                  return true;
                }
              }
              return false;
            });

    assertThat(advanced).isTrue();
  }

  @Test
  void anInterruptedThreadDoesNotCloseTheDatabaseForTheOthers() throws Exception {
    AtomicInteger id = new AtomicInteger();
    for (int round = 0; round < 10; round++) {
      CountDownLatch writing = new CountDownLatch(3);
      Thread writer = Threads.daemon("writer", () -> writeUntilInterrupted(id, writing));
      writer.start();
      writing.await();
      writer.interrupt();
      writer.join();

      assertThat(count()).isPositive();
    }
  }

  @Test
  void aFolderUsedByAnotherProcessIsRefusedWithTheFix() throws Exception {
    assertThat(exitOfAnotherProcess(folder)).isEqualTo(3);
  }

  @Test
  void aStatementIsCutOffAtTheQueryTimeout() {
    DatabaseSettings usual = DatabaseSettings.memory("slow-" + UUID.randomUUID());
    DatabaseSettings hurried =
        new DatabaseSettings(
            usual.url(),
            usual.user(),
            usual.password(),
            2,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1));
    try (Database slow = Database.open(hurried, NO_MIGRATIONS)) {
      assertThatThrownBy(
              () ->
                  slow.read(
                      handle ->
                          handle
                              .createQuery(
                                  "SELECT COUNT(*) FROM SYSTEM_RANGE(1, 1000000) a,"
                                      + " SYSTEM_RANGE(1, 1000000) b WHERE a.x * b.x = 7")
                              .mapTo(Long.class)
                              .one()))
          .isInstanceOfSatisfying(
              MillraceException.class,
              failure -> assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT));
    }
  }

  @Test
  void aPoolWithoutAFreeConnectionIsReportedAsUnavailable() {
    DatabaseSettings usual = DatabaseSettings.memory("busy-" + UUID.randomUUID());
    DatabaseSettings narrow =
        new DatabaseSettings(
            usual.url(),
            usual.user(),
            usual.password(),
            1,
            Duration.ofMillis(250),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5));
    try (Database busy = Database.open(narrow, NO_MIGRATIONS)) {
      // On another thread: within one thread a nested call uses the connection that is open.
      assertThatThrownBy(() -> busy.read(handle -> CompletableFuture.supplyAsync(busy::now).join()))
          .cause()
          .isInstanceOfSatisfying(
              MillraceException.class,
              failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }
  }

  @Test
  void aMissingMigrationFolderIsAnErrorAndNotAnEmptySchema() {
    assertThatThrownBy(
            () ->
                Database.open(
                    DatabaseSettings.memory("none-" + UUID.randomUUID()), List.of("nothing")))
        .isInstanceOfSatisfying(
            MillraceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.STORE_FAILURE));
  }

  @Test
  void tablesOfADevelopmentVersionAreRefusedAndLeftAlone() {
    execute("UPDATE migration_platform SET description = 'claim' WHERE version = '001'");
    database.close();

    assertThatThrownBy(
            () -> Database.open(DatabaseSettings.file(folder, "test"), List.of("platform")))
        .isInstanceOfSatisfying(
            MillraceException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.STORE_FAILURE))
        .hasMessageContaining("cannot read")
        .hasMessageContaining("--data");

    database = Database.open(DatabaseSettings.file(folder, "test"), NO_MIGRATIONS);
    assertThat(count()).isZero();
  }

  @Test
  void aBaselineThatWasCutOffIsCompletedAtTheNextOpening() {
    execute("INSERT INTO claim VALUES ('a', 'b', 7, TIMESTAMP '2026-01-01 00:00:00')");
    execute("DROP TABLE migration_platform");
    database.close();

    database = Database.open(DatabaseSettings.file(folder, "test"), List.of("platform"));

    assertThat(
            database.<Long, RuntimeException>read(
                handle -> handle.createQuery("SELECT term FROM claim").mapTo(Long.class).one()))
        .isEqualTo(7);
  }

  @Test
  void forcingToDiskWorks() {
    execute("INSERT INTO thing (id, amount) VALUES (1, 5)");

    database.force();

    assertThat(amount(1)).isEqualTo(5);
  }

  private static CompletableFuture<Void> inBackground(CheckedWork work) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            work.run();
          } catch (Exception failure) {
            throw new CompletionException(failure);
          }
        },
        task -> Threads.daemon("writer", task).start());
  }

  private interface CheckedWork {
    void run() throws Exception;
  }

  private static int add(Handle handle, long id) {
    return handle.execute("UPDATE thing SET amount = amount + 1 WHERE id = ?", id);
  }

  private void writeUntilInterrupted(AtomicInteger id, CountDownLatch writing) {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        execute("INSERT INTO thing (id, amount) VALUES (" + id.incrementAndGet() + ", 1)");
        writing.countDown();
      }
    } catch (RuntimeException cutShort) {
      // The interrupted statement itself may fail.
    }
  }

  private static int exitOfAnotherProcess(Path folder) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                SecondProcess.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  /** Opens the database of the folder; exits with 3 when it is told who has it and what to do. */
  static final class SecondProcess {
    private SecondProcess() {}

    /** Expects the folder. */
    public static void main(String[] arguments) {
      Path folder = Path.of(arguments[0]);
      try (Database second = Database.open(DatabaseSettings.file(folder, "test"), List.of())) {
        System.exit(second.now() == null ? 1 : 0);
      } catch (MillraceException refused) {
        boolean clear =
            refused
                .getMessage()
                .equals(
                    "another Millrace uses " + folder + "; stop it or give --data another folder");
        System.exit(clear && refused.code() == ErrorCode.STORE_FAILURE ? 3 : 2);
      }
    }
  }

  private void insert(long id, Instant at) {
    database.transaction(
        handle ->
            handle
                .createUpdate("INSERT INTO thing (id, amount, at) VALUES (:id, 0, :at)")
                .bind("id", id)
                .bindByType("at", at, Instant.class)
                .execute());
  }

  private Instant at(long id) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT at FROM thing WHERE id = :id")
                .bind("id", id)
                .mapTo(Instant.class)
                .list()
                .get(0));
  }

  private String storedText(long id) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT CAST(at AS VARCHAR) FROM thing WHERE id = :id")
                .bind("id", id)
                .mapTo(String.class)
                .one());
  }

  private Instant clock(Handle handle) {
    return handle.createQuery("SELECT " + database.dialect().now()).mapTo(Instant.class).one();
  }

  private void execute(String sql) {
    database.read(handle -> handle.execute(sql));
  }

  private int amount(long id) {
    return database.read(
        handle ->
            handle
                .createQuery("SELECT amount FROM thing WHERE id = :id")
                .bind("id", id)
                .mapTo(Integer.class)
                .one());
  }

  private int count() {
    return database.read(
        handle -> handle.createQuery("SELECT COUNT(*) FROM thing").mapTo(Integer.class).one());
  }
}

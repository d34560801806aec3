package io.millrace.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.platform.lifecycle.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pages move within the file while it is written, and nothing is lost, also over kill -9. */
@Timeout(300)
class FileCompactionTest {
  private static final int KILLS = 6;
  private static final int COMMITS_BEFORE_KILL = 400;
  private static final int STEPS_BEFORE_KILL = 20;
  private static final int NEWEST = 400;
  private static final int EACH_KEPT = 50;

  // Of the rows that are updated; so many that there is more to move than may be.
  private static final int ROWS = 8_000;
  private static final int COMMITS = 20;
  private static final long WHILE_IDLE = 16 * 1024;

  // What one step writes at most; a little more than the pages that it moves.
  private static final long STEP = 100 * 1024;

  @TempDir private Path folder;

  @Test
  void aFileWhosePagesMoveStaysSmallerAndKeepsItsRows() throws Exception {
    Path plain = Files.createDirectory(folder.resolve("plain"));
    Path compacted = Files.createDirectory(folder.resolve("compacted"));

    long size = sizeAfterCommits(plain, false);
    long smaller = sizeAfterCommits(compacted, true);

    assertThat(smaller).isLessThan(size / 2);
    try (Database database = open(compacted)) {
      assertThat(missing(database)).isZero();
    }
  }

  @Test
  void aServiceThatIsStartedMovesPages() {
    try (Database database = open(folder)) {
      Random random = new Random(7);
      insert(database, ROWS);
      update(database, random, 20 * COMMITS);
      long before = written(database);
      FileCompaction compaction = new FileCompaction(database);

      compaction.start();
      try {
        // Nobody else writes.
        await().atMost(Duration.ofMinutes(2)).until(() -> written(database) > before);
      } finally {
        compaction.stop();
      }
    }
  }

  @Test
  void movedBytesAreAnEighthOfTheWrittenOnesAndLittleIfNothingIsWritten() {
    SparseChunks chunks = new SparseChunks();
    Random random = new Random(7);
    try (Database database = open(folder)) {
      insert(database, ROWS);
      long moved = 0;
      long written = 0;
      for (int second = 1; second <= 20; second++) {
        update(database, random, COMMITS);
        written = written(database) - moved;
        moved += moved(database, chunks);
        assertThat(moved)
            .as("of %d bytes in second %d", written, second)
            .isLessThanOrEqualTo(written / 8 + second * WHILE_IDLE + STEP);
      }
      assertThat(moved).as("there is more to move").isGreaterThan(written / 10);

      long whileIdle = 0;
      for (int second = 1; second <= 40; second++) {
        whileIdle += moved(database, chunks);
        assertThat(whileIdle).isLessThanOrEqualTo(second * WHILE_IDLE + STEP);
      }
      assertThat(whileIdle).as("it goes on").isGreaterThan(4 * STEP);
    }
  }

  private static long written(Database database) {
    return database.betweenTransactions(SparseChunks::written);
  }

  private static long moved(Database database, SparseChunks chunks) {
    long before = written(database);
    move(database, chunks);
    return written(database) - before;
  }

  private static void insert(Database database, int rows) {
    database.transaction(
        handle ->
            handle.execute(
                "insert into event select x, cast(repeat('x', 500) as binary varying)"
                    + " from system_range(1, ?)",
                rows));
  }

  /**
   * Rewrites single rows everywhere, so that nothing of a chunk is in use for long but a little.
   */
  private static void update(Database database, Random random, int commits) {
    for (int commit = 0; commit < commits; commit++) {
      database.transaction(
          handle -> {
            for (int i = 0; i < 20; i++) {
              handle.execute(
                  "update event set data = ? where seq = ?",
                  new byte[400 + random.nextInt(200)],
                  1 + random.nextInt(ROWS));
            }
            return null;
          });
    }
  }

  @Test
  void aDatabaseInMemoryHasNothingToMove() {
    try (Database database =
        Database.open(DatabaseSettings.memory("no-file-to-compact"), List.of())) {
      boolean worthwhile = database.betweenTransactions(new SparseChunks()::begin);

      assertThat(worthwhile).isFalse();
    }
  }

  @Test
  void theThreadEndsWithTheServiceAndTheDatabaseGoesOn() {
    try (Database database = open(folder)) {
      FileCompaction compaction = new FileCompaction(database);
      compaction.start();
      commit(database);
      compaction.stop();
      commit(database);

      assertThat(Thread.getAllStackTraces().keySet())
          .extracting(Thread::getName)
          .doesNotContain("compact-database-file");
      assertThat(missing(database)).isZero();
    }
  }

  @Tag("drill")
  @Test
  void everyAcknowledgedCommitIsThereAfterKillsWhilePagesMove() throws Exception {
    for (int kill = 0; kill < KILLS; kill++) {
      long acknowledged = killAfterCommits(COMMITS_BEFORE_KILL + 37 * kill);
      try (Database database = open(folder)) {
        assertThat(last(database)).as("after kill %d", kill).isGreaterThanOrEqualTo(acknowledged);
        assertThat(missing(database)).as("after kill %d", kill).isZero();
      }
    }
  }

  private static long sizeAfterCommits(Path folder, boolean compacted) throws IOException {
    SparseChunks chunks = new SparseChunks();
    try (Database database = open(folder)) {
      for (int i = 0; i < 1500; i++) {
        commit(database);
        if (compacted) {
          move(database, chunks);
        }
      }
      return Files.size(folder.resolve("db.mv.db"));
    }
  }

  private static int move(Database database, SparseChunks chunks) {
    int steps = 0;
    boolean more = database.betweenTransactions(chunks::begin);
    while (more) {
      more = database.betweenTransactions(chunks::step);
      steps++;
    }
    return steps;
  }

  private long killAfterCommits(int commits) throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process writer =
        new ProcessBuilder(
                java,
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out = writer.inputReader()) {
      long last = 0;
      long steps = 0;
      for (int i = 0; i < commits || steps < STEPS_BEFORE_KILL; i++) {
        String line = out.readLine();
        assertThat(line).as("the writer goes on").isNotNull();
        last = Long.parseLong(line.substring(0, line.indexOf(' ')));
        steps = Long.parseLong(line.substring(line.indexOf(' ') + 1));
      }
      assertThat(writer.toHandle().destroyForcibly()).isTrue();
      // A last line that is cut off was not acknowledged.
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        int end = line.indexOf(' ');
        last = end < 0 ? last : Math.max(last, Long.parseLong(line.substring(0, end)));
      }
      return last;
    } finally {
      writer.destroyForcibly();
      assertThat(writer.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  // Without retention a chunk may be moved at once, for which a test would wait 45 seconds, and its
  // space is used again at once, which is when H2 loses its way. No server does so (ADR 40).
  private static Database open(Path folder) {
    Database database = Database.open(DatabaseSettings.file(folder, "db"), List.of());
    database.read(handle -> handle.execute("set retention_time 0"));
    database.read(
        handle ->
            handle.execute(
                "create table if not exists event (seq bigint primary key, data varbinary(1000))"));
    return database;
  }

  /** Twenty new rows; of the old ones, one of fifty stays, so that it keeps its whole chunk. */
  private static long commit(Database database) {
    return database.transaction(
        handle -> {
          long seq = last(handle);
          for (int i = 0; i < 20; i++) {
            seq++;
            handle.execute(
                "insert into event values (?, ?)", seq, new byte[300 + (int) (seq * 7919 % 500)]);
          }
          handle.execute(
              "delete from event where seq between ? and ? and mod(seq, ?) <> 0",
              seq - 2 * NEWEST,
              seq - NEWEST,
              EACH_KEPT);
          return seq;
        });
  }

  private static long last(Database database) {
    Long last = database.read(FileCompactionTest::last);
    return last;
  }

  private static long last(Handle handle) {
    return handle.createQuery("select coalesce(max(seq), 0) from event").mapTo(Long.class).one();
  }

  /** How many of the rows that were never deleted are not there. */
  private static long missing(Database database) {
    long last = last(database);
    long newest = Math.min(last, NEWEST);
    Long found =
        database.read(
            handle ->
                handle
                    .createQuery(
                        "select count(data) from event where seq > :from or mod(seq, :kept) = 0")
                    .bind("from", last - newest)
                    .bind("kept", EACH_KEPT)
                    .mapTo(Long.class)
                    .one());
    return newest + (last - newest) / EACH_KEPT - found;
  }

  /** Commits and tells while pages move, until it is killed. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) {
      Database database = open(Path.of(arguments[0]));
      AtomicLong steps = new AtomicLong();
      SparseChunks chunks = new SparseChunks();
      Threads.daemon(
              "mover",
              () -> {
                while (true) {
                  steps.addAndGet(move(database, chunks));
                }
              })
          .start();
      while (true) {
        long seq = commit(database);
        database.force();
        System.out.println(seq + " " + steps.get());
        System.out.flush();
      }
    }
  }
}

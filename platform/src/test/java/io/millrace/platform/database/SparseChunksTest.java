package io.millrace.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.platform.clock.Clock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the steps of a compaction cost, counted in calls of {@link SparseChunks#begin}. */
@Timeout(300)
class SparseChunksTest {
  private static final int SECOND = 1000;
  private static final int KB = 1024;

  @TempDir private Path folder;
  private Database database;

  @BeforeEach
  void open() {
    database = Database.open(DatabaseSettings.file(folder, "db"), List.of());
    execute("create table event (seq bigint primary key, data varchar(1000))");
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void stepsInVainAreFewAndLeadToRestsOfTheRetentionTime() {
    retain(10 * SECOND);
    fillInVain();
    SparseChunks chunks = new SparseChunks(new Steps(0));
    await().atMost(Duration.ofMinutes(1)).until(() -> begin(chunks));

    List<Integer> steps = rounds(chunks, 100);

    assertThat(Collections.frequency(steps, 0)).as("rounds without a step").isBetween(80, 90);
    assertThat(steps.stream().mapToInt(Integer::intValue).sum())
        .as("steps of ten searches")
        .isBetween(100, 200);
  }

  @Test
  void aSearchInVainDoesNotMakeLaterStepsLarge() {
    retain(3 * SECOND);
    fillInVain();
    SparseChunks chunks = new SparseChunks(new Steps(0));
    await().atMost(Duration.ofMinutes(1)).until(() -> begin(chunks));
    await().until(() -> round(chunks) > 0 && !begin(chunks));
    fillSparsely();

    long[] total = {0};
    long[] most = {0};
    await()
        .pollDelay(Duration.ofSeconds(4))
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              for (boolean more = begin(chunks); more; ) {
                long before = written();
                more = step(chunks);
                total[0] += written() - before;
                most[0] = Math.max(most[0], written() - before);
              }
              return total[0] > 400 * KB;
            });

    assertThat(most[0]).as("bytes of the largest step").isLessThan(256L * KB);
  }

  @Test
  void slowStepsTakeThreePercentOfTheTime() {
    retain(0);
    fillSparsely();
    SparseChunks slow = new SparseChunks(new Steps(300));

    assertThat(rounds(slow, 22))
        .containsExactly(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0);
  }

  @Test
  void nothingIsMovedWhileTheFileIsDense() {
    retain(0);
    execute("insert into event select x, repeat('x', 500) from system_range(1, 2000)");

    assertThat(begin(new SparseChunks(new Steps(0)))).isFalse();
  }

  /** A part that is mostly unused, of which more is in use than one step may choose. */
  private void fillInVain() {
    execute("insert into event select x, repeat('x', 1000) from system_range(1, 12000)");
    execute("delete from event where seq > 4000");
  }

  /** Many parts of which some pages are in use, none of them large. */
  private void fillSparsely() {
    for (int commit = 0; commit < 200; commit++) {
      int first = 100_000 + 40 * commit;
      execute(
          "insert into event select x, repeat('x', 500) from system_range(%d, %d)"
              .formatted(first, first + 39));
      execute(
          "delete from event where seq between %d and %d and mod(seq, 40) <> 0"
              .formatted(first, first + 39));
    }
  }

  private void retain(int millis) {
    execute("set retention_time " + millis);
  }

  private void execute(String statement) {
    database.transaction(handle -> handle.execute(statement));
  }

  /** How many steps each of the rounds had. */
  private List<Integer> rounds(SparseChunks chunks, int count) {
    List<Integer> steps = new ArrayList<>();
    for (int round = 0; round < count; round++) {
      steps.add(round(chunks));
    }
    return steps;
  }

  private int round(SparseChunks chunks) {
    int steps = 0;
    boolean more = begin(chunks);
    while (more) {
      more = step(chunks);
      steps++;
    }
    return steps;
  }

  private boolean begin(SparseChunks chunks) {
    return database.betweenTransactions(chunks::begin);
  }

  private boolean step(SparseChunks chunks) {
    return database.betweenTransactions(chunks::step);
  }

  private long written() {
    return database.betweenTransactions(SparseChunks::written);
  }

  /** Each step takes so long. */
  private static final class Steps implements Clock {
    private final long nanos;
    private long now;

    Steps(long millis) {
      nanos = Duration.ofMillis(millis).toNanos();
    }

    @Override
    public Instant now() {
      return Instant.EPOCH;
    }

    @Override
    public long nanoTime() {
      now += nanos;
      return now;
    }
  }
}

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
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the steps of a compaction cost, counted in calls of {@link SparseChunks#begin}. */
@Timeout(300)
class SparseChunksTest {
  private static final int SECOND = 1000;
  private static final long KB = 1024;

  // Each raises what a step may choose by 64 KB. The chunks that are chosen in vain take about 300
  // KB of it, by what H2 counts in them, so 13 leave some 600 KB for the first step that finds
  // something. The sixteenth would begin anew.
  private static final int STEPS_IN_VAIN = 13;

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

    List<Long> sizes = sizesOnceOld(chunks, 1000 * KB);

    assertThat(sizes).as("bytes of each step").allMatch(size -> size < 256 * KB);
  }

  @Test
  void aLargeStepIsFollowedBySmallOnes() {
    retain(3 * SECOND);
    fillInVain();
    SparseChunks chunks = new SparseChunks(new Steps(0));
    await().atMost(Duration.ofMinutes(1)).until(() -> begin(chunks));
    for (int i = 0; i < STEPS_IN_VAIN; i++) {
      step(chunks);
    }
    fillSparsely();

    List<Long> sizes = sizesOnceOld(chunks, 1500 * KB);

    assertThat(sizes.get(0)).as("bytes of the first step").isBetween(384 * KB, 2048 * KB);
    assertThat(sizes.subList(1, sizes.size()))
        .as("bytes of later steps")
        .isNotEmpty()
        .allMatch(size -> size < 256 * KB);
  }

  /** What each step wrote, until they have written so much. */
  private List<Long> sizesOnceOld(SparseChunks chunks, long total) {
    List<Long> sizes = new ArrayList<>();
    await()
        .pollDelay(Duration.ofSeconds(4))
        .atMost(Duration.ofMinutes(2))
        .until(
            () -> {
              for (boolean more = begin(chunks); more; ) {
                long before = written();
                more = step(chunks);
                sizes.add(written() - before);
              }
              return sizes.stream().mapToLong(Long::longValue).sum() > total;
            });
    return sizes;
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

  /** Many parts of which some pages are in use, 4 MB together. */
  private void fillSparsely() {
    execute("insert into event select 100000 + x, repeat('x', 500) from system_range(1, 8000)");
    Random random = new Random(7);
    for (int commit = 0; commit < 300; commit++) {
      database.transaction(
          handle -> {
            for (int i = 0; i < 20; i++) {
              handle.execute(
                  "update event set data = ? where seq = ?",
                  "y".repeat(400 + random.nextInt(200)),
                  100_001 + random.nextInt(8000));
            }
            return null;
          });
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

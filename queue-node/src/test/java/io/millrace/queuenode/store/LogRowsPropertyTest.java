package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.queuenode.store.log.EventLog.LogSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Whatever is done to it, and wherever it is closed or killed, a log holds what memory would. */
class LogRowsPropertyTest {
  private static final int STEPS = 250;

  /** Few, so that the limit is exceeded. */
  private static final int NAMES = 5;

  @Property(tries = 25, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void theLogEqualsTheTablesInMemoryAfterAnyWorkAndAnyReopening(@ForAll long seed)
      throws IOException {
    Path folder = Files.createTempDirectory("log-rows");
    try (Trial trial = new Trial(folder, seed)) {
      trial.run();
    } finally {
      delete(folder);
    }
  }

  /** One run; small files, so that many are finished, compacted and deleted on the way. */
  private static final class Trial implements AutoCloseable {
    private final Path folder;
    private final RandomWork work;
    private final MemoryRows memory = new MemoryRows(NAMES);
    private DyingDisk disk;
    private LogRows log;

    Trial(Path folder, long seed) {
      this.folder = folder;
      this.work = new RandomWork(seed);
    }

    void run() throws IOException {
      open();
      for (int step = 0; step < STEPS; step++) {
        work.step(List.of(memory, log));
        switch (work.below(10)) {
          case 0, 1, 2, 3, 4 -> commit();
          case 5 -> rollback();
          case 6 -> disturb();
          case 7 -> compare();
          default -> {
            // The transaction continues.
          }
        }
      }
      commit();
      compare();
      closeDead();
      open();
      compare();
    }

    private void commit() throws IOException {
      try {
        log.commit();
        log.force();
        memory.commit();
      } catch (StoreFailure killed) {
        assertThat(disk.isDead()).isTrue();
        afterKill();
      }
    }

    private void rollback() {
      memory.rollback();
      log.rollback();
    }

    private void disturb() throws IOException {
      switch (work.below(4)) {
        case 0 -> {
          rollback();
          closeDead();
          open();
        }
        case 1 -> disk.dieAfter(work.below(40));
        default -> {
          // Undisturbed for once.
        }
      }
    }

    private void afterKill() throws IOException {
      closeDead();
      boolean stored = reopenedWithTheGroup();
      if (stored) {
        memory.commit();
      } else {
        memory.rollback();
      }
    }

    /** A failed force leaves open whether the group is there; it is complete or absent. */
    private boolean reopenedWithTheGroup() throws IOException {
      open();
      return work.picture(memory).equals(work.picture(log));
    }

    private void compare() {
      Iterator<String> found = work.picture(log).iterator();
      for (String expected : work.picture(memory)) {
        assertThat(found.next()).isEqualTo(expected);
      }
      found.forEachRemaining(more -> assertThat(more).isNull());
    }

    private void open() throws IOException {
      disk = new DyingDisk();
      LogSettings settings = LogSettings.in(folder).withFiles(16 << 10);
      log = new LogRows(StoreFolder.lock(folder), disk, settings, NAMES);
      log.raiseTerm();
    }

    @Override
    public void close() {
      // Once more for a trial that failed.
      closeDead();
    }

    private void closeDead() {
      try {
        log.close();
      } catch (StoreFailure expected) {
        // Like a killed process, it reports nothing more.
        assertThat(disk.isDead()).isTrue();
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}

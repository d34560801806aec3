package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a folder must be like for a log to be opened in it. */
class LogSegmentStoreTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));

  @TempDir Path folder;

  @Test
  void aStoreThatIsOpenIsRefusedWithItsFolder() {
    try (SegmentStore open = LogSegmentStore.open(folder, clock)) {
      long term = open.term();
      assertThatThrownBy(() -> LogSegmentStore.open(folder, clock))
          .isInstanceOfSatisfying(
              MillraceException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.STORE_FAILURE))
          .hasMessageContaining(folder.toString());
      assertThat(open.term()).isEqualTo(term);
    }
    LogSegmentStore.open(folder, clock).close();
  }

  @Test
  void anH2StoreIsNotMistakenForAnEmptyOne() throws IOException {
    Path older = Files.createDirectories(folder.resolve("older"));
    Files.writeString(older.resolve("events.mv.db"), "H:2");

    assertThatThrownBy(() -> LogSegmentStore.open(older, clock))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(older.toString())
        .hasMessageContaining("H2 store");
  }

  @Test
  void aStoreWithMissingFilesIsNotReplacedByAnEmptyOne() throws IOException {
    Path other = folder.resolve("other");
    LogSegmentStore.open(other, clock).close();
    for (Path file : files(other)) {
      if (!file.endsWith("opened")) {
        Files.delete(file);
      }
    }

    assertThatThrownBy(() -> LogSegmentStore.open(other, clock))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("its files are missing");
    assertThat(files(other)).noneMatch(file -> file.toString().endsWith(".log"));
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }
}

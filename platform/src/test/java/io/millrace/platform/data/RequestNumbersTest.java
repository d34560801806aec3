package io.millrace.platform.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.millrace.api.MillraceException;
import io.millrace.api.node.RequestNumber;
import io.millrace.platform.clock.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestNumbersTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  @TempDir private Path folder;
  private final ManualClock clock = new ManualClock(NOW);

  @Test
  void eachRequestHasAHigherNumberThanTheOneBefore() {
    RequestNumbers numbers = RequestNumbers.of(folder, clock);
    RequestNumber first = numbers.next();

    assertThat(first).isGreaterThan(RequestNumber.NONE);
    assertThat(numbers.next()).isGreaterThan(first);
  }

  @Test
  void everyStartIsAboveAllRequestsOfTheOneBefore() {
    RequestNumber before = lastOfMany(RequestNumbers.of(folder, clock));

    assertThat(RequestNumbers.of(folder, clock).next()).isGreaterThan(before);
  }

  @Test
  void aStartAfterTheClockWasSetBackIsAboveTheOneBefore() {
    RequestNumber before = RequestNumbers.of(folder, clock).next();

    RequestNumbers next = RequestNumbers.of(folder, new ManualClock(NOW.minusSeconds(86_400)));

    assertThat(next.next()).isGreaterThan(before);
  }

  @Test
  void aStartOnAnOlderCopyOfTheFolderIsAboveTheOneBefore() throws IOException {
    RequestNumbers.of(folder, clock);
    String copy = Files.readString(folder.resolve("incarnation"));
    clock.advance(Duration.ofSeconds(1));
    RequestNumbers.of(folder, clock);
    RequestNumber before = RequestNumbers.of(folder, clock).next();

    Files.writeString(folder.resolve("incarnation"), copy);
    clock.advance(Duration.ofSeconds(1));

    assertThat(RequestNumbers.of(folder, clock).next()).isGreaterThan(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"seven", "-5"})
  void aFileWithoutANumberIsRefusedWithTheFix(String content) throws IOException {
    Files.writeString(folder.resolve("incarnation"), content);

    assertThatThrownBy(() -> RequestNumbers.of(folder, clock))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("delete the file");
  }

  /** Whoever opens a pipe waits until somebody writes to it. */
  @Test
  void pathsThatAreNotFilesAreRefusedAndNotOpened() throws Exception {
    String[] pipe = {"mkfifo", folder.resolve("incarnation").toString()};
    assertThat(new ProcessBuilder(pipe).start().waitFor()).isZero();

    assertTimeoutPreemptively(
        Duration.ofSeconds(30),
        () ->
            assertThatThrownBy(() -> RequestNumbers.of(folder, clock))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("not a regular file"));
  }

  @Test
  void aFileFromTheFutureIsRefusedBecauseEveryLaterProcessWouldBeShutOut() throws IOException {
    Files.writeString(folder.resolve("incarnation"), Long.toString(Long.MAX_VALUE));

    assertThatThrownBy(() -> RequestNumbers.of(folder, clock))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("in the future")
        .hasMessageContaining("delete the file");
  }

  @Test
  void anEmptyFileIsThatOfNoStart() throws IOException {
    Files.createFile(folder.resolve("incarnation"));
    assertThat(RequestNumbers.of(folder, clock).next()).isGreaterThan(RequestNumber.NONE);
  }

  @Test
  void anUnwritableFileDoesNotPreventTheStart() throws IOException {
    Path file = folder.resolve("no-folder");
    Files.createFile(file);
    assertThat(RequestNumbers.of(file, clock).next()).isGreaterThan(RequestNumber.NONE);
  }

  private static RequestNumber lastOfMany(RequestNumbers numbers) {
    RequestNumber last = RequestNumber.NONE;
    for (int request = 0; request < 100; request++) {
      last = numbers.next();
    }
    return last;
  }
}

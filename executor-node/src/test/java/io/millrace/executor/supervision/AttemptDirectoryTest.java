package io.millrace.executor.supervision;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.job.AttemptId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttemptDirectoryTest {

  @TempDir private Path root;
  private AttemptDirectory directory;

  @BeforeEach
  void create() throws IOException {
    directory = new AttemptDirectory(root, new AttemptId(12, 3));
    directory.create();
  }

  @Test
  void isNamedAfterItsAttempt() throws IOException {
    assertThat(directory.path()).isEqualTo(root.resolve("12.3"));
    assertThat(AttemptDirectory.all(root))
        .extracting(AttemptDirectory::id)
        .containsExactly(directory.id());
  }

  @Test
  void foreignEntriesOfTheRootAreLeftAlone() throws IOException {
    Files.createDirectory(root.resolve("lost+found"));
    assertThat(AttemptDirectory.all(root)).hasSize(1);
    assertThat(AttemptDirectory.all(root.resolve("missing"))).isEmpty();
  }

  @Test
  void theTailIsTheEndOfTheOutput() throws IOException {
    Files.writeString(directory.output(LogStream.STDOUT), "0123456789");
    LogExcerpt tail = directory.tail(LogStream.STDOUT, 4);
    assertThat(tail.text()).isEqualTo("6789");
    assertThat(tail.offset()).isEqualTo(6);
    assertThat(tail.size()).isEqualTo(10);
    assertThat(directory.tail(LogStream.STDOUT, 100).text()).isEqualTo("0123456789");
  }

  @Test
  void readingContinuesWhereTheLastPieceEnded() throws IOException {
    Files.writeString(directory.output(LogStream.STDERR), "0123456789");
    assertThat(directory.read(LogStream.STDERR, 2, 3).text()).isEqualTo("234");
    assertThat(directory.read(LogStream.STDERR, 10, 3).text()).isEmpty();
    assertThat(directory.read(LogStream.STDERR, 99, 3).offset()).isEqualTo(10);
  }

  @Test
  void anOutputThatDoesNotExistIsEmpty() throws IOException {
    assertThat(directory.tail(LogStream.STDOUT, 10).size()).isZero();
  }

  @Test
  void aLinkInThePlaceOfAnOutputIsNotFollowed() throws IOException {
    Path secret = Files.writeString(root.resolve("secret"), "hidden");
    Files.createSymbolicLink(directory.output(LogStream.STDOUT), secret);
    assertThat(directory.tail(LogStream.STDOUT, 100).text()).isEmpty();
  }

  @Test
  void deletionTakesAllAndFollowsNoLink() throws IOException {
    Path outside = Files.createDirectory(root.resolve("outside"));
    Files.createFile(outside.resolve("kept"));
    Files.createSymbolicLink(directory.work().resolve("link"), outside);
    Path locked = Files.createDirectory(directory.work().resolve("locked"));
    Files.createFile(locked.resolve("file"));
    Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-xr-xr-x"));
    directory.delete();
    directory.delete();
    assertThat(directory.path()).doesNotExist();
    assertThat(outside.resolve("kept")).exists();
  }

  @Test
  void theWorkingDirectoryGoesBeforeTheLogs() throws IOException {
    Files.writeString(directory.output(LogStream.STDOUT), "kept");
    Files.createFile(directory.work().resolve("file"));
    directory.deleteWork();
    directory.deleteWork();
    assertThat(directory.work()).doesNotExist();
    assertThat(directory.tail(LogStream.STDOUT, 10).text()).isEqualTo("kept");
  }

  @Test
  void anEndingIsMarkedAsReportedAsOftenAsOneLikes() throws IOException {
    assertThat(directory.isReported()).isFalse();
    directory.markReported();
    directory.markReported();
    assertThat(directory.isReported()).isTrue();
  }
}

package io.millrace.executor.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UntrustedFileTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir private Path directory;

  /** As when a file that was an ordinary one a moment ago is replaced. */
  @Test
  void aPipeIsOpenedWithoutWaitingAndHoldsNothing() throws Exception {
    Path pipe = pipe("pipe");
    assertTimeoutPreemptively(
        LONG,
        () -> {
          try (SeekableByteChannel channel = UntrustedFile.open(pipe)) {
            assertThat(channel.size()).isZero();
          }
          assertThat(UntrustedFile.read(pipe, 10)).isEmpty();
        });
  }

  @Test
  void aLinkIsNotFollowed() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("/etc/passwd"));
    assertThat(UntrustedFile.read(link, 10_000_000)).isEmpty();
    assertThatThrownBy(() -> UntrustedFile.open(link)).isInstanceOf(IOException.class);
  }

  @Test
  void noMoreIsReadThanIsWanted() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[] {1, 2, 3});
    assertThat(UntrustedFile.read(file, 3)).hasValue(new byte[] {1, 2, 3});
    assertThat(UntrustedFile.read(file, 2)).isEmpty();
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(20L << 30);
    }
    assertThat(UntrustedFile.read(file, Integer.MAX_VALUE)).isEmpty();
    assertThat(UntrustedFile.read(directory.resolve("missing"), 3)).isEmpty();
  }

  @Test
  void existingFilesAreReplacedAndNeverOpened() throws Exception {
    Path file = pipe("file");
    pipe("file.part");
    Path other = Files.writeString(directory.resolve("other"), "of somebody else");
    Path linked = Files.createSymbolicLink(directory.resolve("linked"), other);
    Files.createSymbolicLink(directory.resolve("linked.part"), other);
    assertTimeoutPreemptively(
        LONG,
        () -> {
          UntrustedFile.replace(file, new byte[] {1});
          UntrustedFile.replace(linked, new byte[] {2});
          UntrustedFile.create(pipe("created")).close();
        });
    assertThat(UntrustedFile.read(file, 10)).hasValue(new byte[] {1});
    assertThat(UntrustedFile.read(linked, 10)).hasValue(new byte[] {2});
    assertThat(other).hasContent("of somebody else");
  }

  private Path pipe(String name) throws Exception {
    Path file = directory.resolve(name);
    assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor()).isZero();
    return file;
  }
}

package io.millrace.bench.process;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A temporary directory for one benchmark, deleted with its content when closed. */
public final class ScratchFolder implements AutoCloseable {
  private final Path path;

  private ScratchFolder(Path path) {
    this.path = path;
  }

  /**
   * Creates the directory.
   *
   * @param parent directory; null for the system's temporary directory
   */
  public static ScratchFolder below(Path parent) throws IOException {
    Path above = parent == null ? Path.of(System.getProperty("java.io.tmpdir")) : parent;
    Files.createDirectories(above);
    return new ScratchFolder(Files.createTempDirectory(above.toAbsolutePath(), "millrace-bench-"));
  }

  /** The directory. */
  public Path path() {
    return path;
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(path)) {
      files.sorted(Comparator.reverseOrder()).forEach(ScratchFolder::delete);
    } catch (IOException | UncheckedIOException e) {
      throw new MillraceException(
          ErrorCode.INTERNAL, "cannot delete the directory " + path + "; delete it manually", e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

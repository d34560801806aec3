package io.millrace.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A temporary directory for one benchmark, deleted with its content when closed. */
public final class ScratchFolder implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ScratchFolder.class);

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

  /** Deletes it; what cannot be deleted is logged, for the measurements are more than its space. */
  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(path)) {
      files.sorted(Comparator.reverseOrder()).forEach(ScratchFolder::delete);
    } catch (IOException | UncheckedIOException e) {
      LOGGER.error("cannot delete the directory {}; delete it manually", path, e);
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

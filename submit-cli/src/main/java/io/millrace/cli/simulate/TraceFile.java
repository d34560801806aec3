package io.millrace.cli.simulate;

import io.millrace.simulator.pacing.Trace;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A file of recorded events that an option names. */
final class TraceFile {
  private TraceFile() {}

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException where it does not exist, or naming the invalid line
   */
  static Trace read(Path file) throws IOException {
    try {
      return Trace.read(file);
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(
          "there is no file " + file + ": --trace requires a file of timestamp,value lines");
    }
  }

  /** The name of the file without its folder and its ending. */
  static String name(Path file) {
    return file.getFileName().toString().replaceFirst("\\.[^.]*$", "");
  }
}

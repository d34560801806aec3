package io.millrace.executor.run;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;

/** The standard output of a program, opened with its first line: most print none. Thread-safe. */
final class ProgramOutput implements AutoCloseable {
  /** Opens the file. */
  @FunctionalInterface
  interface Opening {
    PrintStream open() throws IOException;
  }

  private final Opening opening;
  // Guarded by this.
  private PrintStream stream;
  private boolean closed;

  ProgramOutput(Opening opening) {
    this.opening = opening;
  }

  /** Writes a line; one that comes after the end is dropped. */
  synchronized void println(String line) {
    if (closed) {
      return;
    }
    try {
      stream = stream == null ? opening.open() : stream;
      stream.println(line);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open the program's output", e);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (stream != null) {
      stream.close();
    }
  }
}

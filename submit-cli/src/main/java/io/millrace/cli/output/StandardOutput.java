package io.millrace.cli.output;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * Standard output that remembers why it could not be written, because a print stream does not: an
 * incomplete list on a full disk must not look like success. Not thread-safe.
 */
public final class StandardOutput extends FilterOutputStream {
  private IOException failure;

  public StandardOutput(OutputStream target) {
    super(target);
  }

  @Override
  public void write(int value) throws IOException {
    write(new byte[] {(byte) value}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    try {
      out.write(bytes, from, length);
    } catch (IOException e) {
      failure = failure == null ? e : failure;
      throw e;
    }
  }

  /**
   * The exit code of a command after its last output: 1 instead of 0 with a message if not all of
   * it was written. A reader that went away, such as {@code head}, is no error.
   */
  public int exitCode(int code, PrintStream messages) {
    if (failure == null || "Broken pipe".equals(failure.getMessage())) {
      return code;
    }
    messages.println("error: cannot write to standard output: " + failure.getMessage());
    return code == 0 ? 1 : code;
  }
}

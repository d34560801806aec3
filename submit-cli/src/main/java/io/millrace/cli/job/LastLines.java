package io.millrace.cli.job;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Keeps the last lines of what is written to it. What it holds is bounded by the size of an output
 * on its execution node. Not thread-safe.
 */
final class LastLines extends OutputStream {
  private final int most;
  private final Deque<byte[]> complete = new ArrayDeque<>();
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  LastLines(int most) {
    this.most = most;
  }

  @Override
  public void write(int octet) {
    line.write(octet);
    if (octet == '\n') {
      complete.addLast(line.toByteArray());
      line.reset();
      if (complete.size() > most) {
        complete.removeFirst();
      }
    }
  }

  /** Writes the lines; one without a line break at the end counts as well. */
  void writeTo(OutputStream out) throws IOException {
    boolean open = line.size() > 0;
    if (open && most > 0 && complete.size() == most) {
      complete.removeFirst();
    }
    for (byte[] one : complete) {
      out.write(one);
    }
    if (open && most > 0) {
      line.writeTo(out);
    }
  }
}

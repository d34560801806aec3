package io.millrace.cli.job;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Hands on what is written line by line; the last one at close. Not thread-safe. */
final class LineStream extends OutputStream {
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final Consumer<String> lines;

  LineStream(Consumer<String> lines) {
    this.lines = lines;
  }

  @Override
  public void write(int octet) {
    if (octet == '\n') {
      handOn();
    } else {
      line.write(octet);
    }
  }

  @Override
  public void close() {
    if (line.size() > 0) {
      handOn();
    }
  }

  private void handOn() {
    lines.accept(line.toString(StandardCharsets.UTF_8));
    line.reset();
  }
}

package io.millrace.executor.supervision;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * The part of an output that was given back to the disk. All other bytes keep their offsets.
 *
 * @param from the first byte dropped
 * @param to the first byte kept again; not above {@code from} when nothing was dropped
 */
record DroppedRange(long from, long to) {
  static final DroppedRange NONE = new DroppedRange(0, 0);

  static DroppedRange read(Path file) throws IOException {
    return LineRecord.read(file)
        .map(
            lines ->
                new DroppedRange(lines.number("from").orElse(0L), lines.number("to").orElse(0L)))
        .orElse(NONE);
  }

  void write(Path file) throws IOException {
    new LineRecord(Map.of("from", Long.toString(from), "to", Long.toString(to))).write(file);
  }

  boolean holds(long offset) {
    return from <= offset && offset < to;
  }

  /** The line that readers find in its place. */
  ByteBuffer notice() {
    String words = "\n[millrace: " + (to - from) + " bytes of this output were dropped here]\n";
    return ByteBuffer.wrap(words.getBytes(StandardCharsets.UTF_8));
  }
}

package io.millrace.executor.supervision;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A piece of an attempt's output.
 *
 * @param offset where the piece begins, in bytes from the start of the output as it was written
 * @param size length of the output in bytes, including what was dropped
 * @param content the bytes, read-only; a line replaces what was dropped
 * @param next where the following piece begins
 */
public record LogExcerpt(long offset, long size, ByteBuffer content, long next) {
  public LogExcerpt {
    content = content.asReadOnlyBuffer();
  }

  /** A copy of the bytes. */
  public byte[] bytes() {
    ByteBuffer view = content.duplicate();
    byte[] copy = new byte[view.remaining()];
    view.get(copy);
    return copy;
  }

  /** The bytes as UTF-8, with replacement characters where they are not. */
  public String text() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }
}

package io.millrace.executor.supervision;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A piece of an attempt's output.
 *
 * @param offset where the piece begins, in bytes from the start of the output
 * @param size length of the whole output in bytes when it was read
 * @param content the bytes, read-only
 */
public record LogExcerpt(long offset, long size, ByteBuffer content) {
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

package io.millrace.manager.job;

import java.io.ByteArrayOutputStream;

/**
 * Whole numbers as bytes, seven bits in each, so that small ones take few: up to 127 one byte, up
 * to 16,383 two. Signed numbers are stored alternately (0, -1, 1, -2, ...), so that small negative
 * ones are small as well. Pure.
 */
final class Varints {
  /** Most bytes of one number. */
  static final int MAX_BYTES = 10;

  private static final int BITS = 7;
  private static final int MORE = 1 << BITS;

  private Varints() {}

  /** Appends numbers. Not thread-safe. */
  static final class Writer {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Appends a number that is not negative. */
    Writer unsigned(long number) {
      if (number < 0) {
        throw new IllegalArgumentException("negative: " + number);
      }
      append(number);
      return this;
    }

    /** Appends any number. */
    Writer signed(long number) {
      append((number << 1) ^ (number >> (Long.SIZE - 1)));
      return this;
    }

    private void append(long number) {
      long rest = number;
      while ((rest & -MORE) != 0) {
        bytes.write((int) (rest & (MORE - 1)) | MORE);
        rest >>>= BITS;
      }
      bytes.write((int) rest);
    }

    byte[] bytes() {
      return bytes.toByteArray();
    }
  }

  /** Reads numbers in the order in which they were appended. Not thread-safe. */
  static final class Reader {
    private final byte[] bytes;
    private int position;

    Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean hasMore() {
      return position < bytes.length;
    }

    /**
     * The next number that is not negative.
     *
     * @throws IllegalStateException at the end, and for what is not such a number
     */
    long unsigned() {
      long number = next();
      if (number < 0) {
        throw damaged();
      }
      return number;
    }

    /**
     * The next number.
     *
     * @throws IllegalStateException at the end, and for what is not a number
     */
    long signed() {
      long number = next();
      return (number >>> 1) ^ -(number & 1);
    }

    private long next() {
      long number = 0;
      for (int shift = 0; shift < MAX_BYTES * BITS; shift += BITS) {
        if (!hasMore()) {
          throw damaged();
        }
        byte next = bytes[position++];
        number |= (long) (next & (MORE - 1)) << shift;
        if (next >= 0) {
          return number;
        }
      }
      throw damaged();
    }

    private IllegalStateException damaged() {
      return new IllegalStateException(
          "no number before byte %d of %d".formatted(position, bytes.length));
    }
  }
}

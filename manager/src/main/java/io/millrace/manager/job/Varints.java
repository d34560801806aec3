package io.millrace.manager.job;

import io.millrace.api.Pure;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Whole numbers and texts as bytes. A number takes seven bits of each byte, so that small ones take
 * few: up to 127 one byte, up to 16,383 two. Signed numbers are stored alternately (0, -1, 1, -2,
 * ...), so that small negative ones are small as well. Pure.
 */
@Pure
public final class Varints {
  /** Most bytes of one number. */
  static final int MAX_BYTES = 10;

  private static final int BITS = 7;
  private static final int MORE = 1 << BITS;

  private Varints() {}

  /** Appends numbers. Not thread-safe. */
  public static final class Writer {
    private byte[] bytes = new byte[64];
    private int size;

    /** Appends a number that is not negative. */
    public Writer unsigned(long number) {
      if (number < 0) {
        throw new IllegalArgumentException("negative: " + number);
      }
      append(number);
      return this;
    }

    /** Appends any number. */
    public Writer signed(long number) {
      append((number << 1) ^ (number >> (Long.SIZE - 1)));
      return this;
    }

    /** Appends a text as UTF-8, preceded by its length. */
    public Writer text(String text) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      unsigned(utf8.length);
      reserve(utf8.length);
      System.arraycopy(utf8, 0, bytes, size, utf8.length);
      size += utf8.length;
      return this;
    }

    /** How many bytes there are. */
    public int size() {
      return size;
    }

    private void append(long number) {
      reserve(MAX_BYTES);
      long rest = number;
      while ((rest & -MORE) != 0) {
        bytes[size++] = (byte) ((rest & (MORE - 1)) | MORE);
        rest >>>= BITS;
      }
      bytes[size++] = (byte) rest;
    }

    private void reserve(int further) {
      if (bytes.length - size < further) {
        bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + further));
      }
    }

    public byte[] bytes() {
      return Arrays.copyOf(bytes, size);
    }
  }

  /** Reads numbers in the order in which they were appended. Not thread-safe. */
  public static final class Reader {
    private final byte[] bytes;
    private int position;

    public Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    public boolean hasMore() {
      return position < bytes.length;
    }

    /**
     * The next number that is not negative.
     *
     * @throws IllegalStateException at the end, and for what is not such a number
     */
    public long unsigned() {
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
    public long signed() {
      long number = next();
      return (number >>> 1) ^ -(number & 1);
    }

    /** The next number that is not negative and fits. */
    public int unsignedInt() {
      return Math.toIntExact(unsigned());
    }

    /** The next text. */
    public String text() {
      int length = unsignedInt();
      String text = new String(bytes, position, length, StandardCharsets.UTF_8);
      position += length;
      return text;
    }

    /** Passes over a text. */
    public void skipText() {
      int length = unsignedInt();
      position += length;
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

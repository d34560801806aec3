package io.millrace.queuenode.store.log;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads what a {@link ByteWriter} wrote. A checksum has been verified before, so reading past the
 * end throws {@link IndexOutOfBoundsException}. One thread.
 */
public final class ByteReader {
  private final byte[] bytes;
  private final int end;
  private int position;

  public ByteReader(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.position = start;
    this.end = end;
  }

  public boolean hasMore() {
    return position < end;
  }

  int position() {
    return position;
  }

  public int oneByte() {
    return take(1) & 0xFF;
  }

  public int fixedInt() {
    require(4);
    int value = intAt(bytes, position);
    position += 4;
    return value;
  }

  public long fixedLong() {
    long high = fixedInt();
    return high << 32 | (fixedInt() & 0xFFFFFFFFL);
  }

  static int intAt(byte[] bytes, int at) {
    return (bytes[at] & 0xFF) << 24
        | (bytes[at + 1] & 0xFF) << 16
        | (bytes[at + 2] & 0xFF) << 8
        | (bytes[at + 3] & 0xFF);
  }

  static long longAt(byte[] bytes, int at) {
    return (long) intAt(bytes, at) << 32 | (intAt(bytes, at + 4) & 0xFFFFFFFFL);
  }

  public long number() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = take(1);
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  public int smallNumber() {
    return Math.toIntExact(number());
  }

  public long signed() {
    long value = number();
    return (value >>> 1) ^ -(value & 1);
  }

  /** Text, or null. */
  public String text() {
    int length = smallNumber() - 1;
    if (length < 0) {
      return null;
    }
    require(length);
    String text = new String(bytes, position, length, StandardCharsets.UTF_8);
    position += length;
    return text;
  }

  public byte[] bytes() {
    return raw(smallNumber());
  }

  /** The remaining bytes. */
  public byte[] rest() {
    return raw(end - position);
  }

  private byte[] raw(int length) {
    require(length);
    byte[] copy = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return copy;
  }

  /** A reader of the next bytes, which this one skips. */
  ByteReader part(int length) {
    require(length);
    ByteReader part = new ByteReader(bytes, position, position + length);
    position += length;
    return part;
  }

  private byte take(int length) {
    require(length);
    return bytes[position++];
  }

  private void require(int length) {
    if (length < 0 || length > end - position) {
      throw new IndexOutOfBoundsException("a record ends before its content");
    }
  }
}

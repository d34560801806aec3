package io.millrace.queuenode.store.log;

import io.millrace.queuenode.store.log.WholeFiles.Checksum;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte array; numbers are varints unless stated otherwise. One thread. */
public final class ByteWriter {
  private static final int KEPT = 4 << 20;

  private byte[] bytes = new byte[4 << 10];
  private int size;

  public int size() {
    return size;
  }

  /** Empties it; an unusually large array is released. */
  public void clear() {
    size = 0;
    if (bytes.length > KEPT) {
      bytes = new byte[KEPT];
    }
  }

  /** Truncates to the position. */
  void cut(int position) {
    size = position;
  }

  /**
   * Ensures capacity for that many bytes at once, so that the array need not be copied as it grows.
   */
  public void reserve(long more) {
    ensureCapacity(more);
  }

  public void oneByte(int value) {
    ensureCapacity(1);
    bytes[size++] = (byte) value;
  }

  /** Four bytes. */
  public void fixedInt(int value) {
    ensureCapacity(4);
    patchInt(size, value);
    size += 4;
  }

  /** Eight bytes. */
  public void fixedLong(long value) {
    fixedInt((int) (value >>> 32));
    fixedInt((int) value);
  }

  void patchInt(int position, int value) {
    bytes[position] = (byte) (value >>> 24);
    bytes[position + 1] = (byte) (value >>> 16);
    bytes[position + 2] = (byte) (value >>> 8);
    bytes[position + 3] = (byte) value;
  }

  /** A non-negative number that is usually small. */
  public void number(long value) {
    ensureCapacity(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** A number that is usually close to 0, positive or negative. */
  public void signed(long value) {
    number((value << 1) ^ (value >> 63));
  }

  /** Text or null, with its length. */
  public void text(String text) {
    if (text == null) {
      number(0);
      return;
    }
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    number(encoded.length + 1L);
    raw(encoded, 0, encoded.length);
  }

  /** Bytes with their length. */
  public void bytes(byte[] from) {
    number(from.length);
    raw(from, 0, from.length);
  }

  /** Bytes without their length. */
  public void raw(byte[] from, int start, int end) {
    ensureCapacity(end - start);
    System.arraycopy(from, start, bytes, size, end - start);
    size += end - start;
  }

  int checksum(int start, int end) {
    return Checksum.of(bytes, start, end);
  }

  int checksumAround(int start, int hole, int afterHole, int end) {
    return Checksum.around(bytes, start, hole, afterHole, end);
  }

  ByteBuffer view() {
    return ByteBuffer.wrap(bytes, 0, size);
  }

  public byte[] copy() {
    return Arrays.copyOf(bytes, size);
  }

  private void ensureCapacity(long more) {
    long needed = size + more;
    if (needed <= bytes.length) {
      return;
    }
    if (needed > Integer.MAX_VALUE - 16) {
      throw new IllegalStateException("a group of more than 2 GB; send smaller batches");
    }
    long twice = Math.min(2L * bytes.length, Integer.MAX_VALUE - 16);
    bytes = Arrays.copyOf(bytes, (int) Math.max(needed, twice));
  }
}

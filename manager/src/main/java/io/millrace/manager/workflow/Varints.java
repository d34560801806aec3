package io.millrace.manager.workflow;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Reads numbers and texts from bytes in which they take as little room as they need. One thread. */
final class Varints {
  private static final int GROUP = 7;
  private static final int MORE = 0x80;

  private final byte[] bytes;
  private int at;

  Varints(byte[] bytes) {
    this.bytes = bytes;
  }

  boolean hasMore() {
    return at < bytes.length;
  }

  /** The next number, not negative. */
  int next() {
    int value = 0;
    int shift = 0;
    int read;
    do {
      read = bytes[at++];
      value |= (read & (MORE - 1)) << shift;
      shift += GROUP;
    } while ((read & MORE) != 0);
    return value;
  }

  /** The next number, which may be negative. */
  int nextSigned() {
    int value = next();
    return (value >>> 1) ^ -(value & 1);
  }

  /** The next text. */
  String nextText() {
    int length = next();
    String text = new String(bytes, at, length, StandardCharsets.UTF_8);
    at += length;
    return text;
  }

  /** Passes over a text. */
  void skipText() {
    int length = next();
    at += length;
  }

  static void write(ByteArrayOutputStream out, int value) {
    int rest = value;
    while ((rest & -MORE) != 0) {
      out.write((rest & (MORE - 1)) | MORE);
      rest >>>= GROUP;
    }
    out.write(rest);
  }

  static void writeSigned(ByteArrayOutputStream out, int value) {
    write(out, (value << 1) ^ (value >> 31));
  }

  static void write(ByteArrayOutputStream out, String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    write(out, utf8.length);
    out.writeBytes(utf8);
  }
}

package io.millrace.loadbalancer.forward;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;

/**
 * Cuts a body of lines into parts of at most 1,000 lines and 1 MiB as it arrives, holding one part
 * at a time. Where it cuts depends only on the body's bytes, not on how they arrive: a body that is
 * sent again is cut in the same way, so that each part keeps its name. Used by one thread; blocks.
 */
public final class LineParts {
  /** The most lines of a part. */
  public static final int MAX_LINES = 1_000;

  /** The most bytes of a part. */
  public static final int MAX_BYTES = 1 << 20;

  private static final int FIRST_BYTES = 16 << 10;

  private final InputStream in;
  private byte[] buffer;
  private int filled;
  private boolean ended;
  private int number;
  private long line = 1;

  /**
   * A reader at the beginning of the body.
   *
   * @param expected the body's length if known, or a negative number
   */
  public LineParts(InputStream in, long expected) {
    this.in = in;
    this.buffer =
        new byte[expected < 0 ? FIRST_BYTES : (int) Math.max(1, Math.min(expected, MAX_BYTES))];
  }

  /**
   * The next part; empty after the last. Parts of blank lines are skipped, unless the entire body
   * is blank.
   *
   * @throws MillraceException BODY_TOO_LARGE for a line that is longer than a part
   * @throws IOException when the body breaks off
   */
  public Optional<LinePart> next() throws IOException {
    while (filled > 0 || !ended) {
      LinePart part = cut();
      if (part.alone() || !blank(part.body())) {
        number++;
        return Optional.of(part);
      }
    }
    return Optional.empty();
  }

  private LinePart cut() throws IOException {
    int scanned = 0;
    int lines = 0;
    int end = 0;
    while (true) {
      while (scanned < filled && lines < MAX_LINES) {
        if (buffer[scanned++] == '\n') {
          lines++;
          end = scanned;
        }
      }
      if (lines == MAX_LINES || filled == MAX_BYTES) {
        return take(requireLine(end), lines);
      }
      if (ended) {
        return take(filled, end < filled ? lines + 1 : lines);
      }
      read();
    }
  }

  private int requireLine(int end) {
    if (end == 0) {
      throw new MillraceException(
          ErrorCode.BODY_TOO_LARGE,
          "line "
              + line
              + " is longer than "
              + MAX_BYTES
              + " bytes; store large data elsewhere and send a reference to it");
    }
    return end;
  }

  private LinePart take(int end, int lines) throws IOException {
    byte[] body = end == buffer.length ? buffer : Arrays.copyOf(buffer, end);
    int rest = filled - end;
    if (body == buffer) {
      buffer = new byte[FIRST_BYTES];
    } else {
      System.arraycopy(buffer, end, buffer, 0, rest);
    }
    filled = rest;
    if (filled == 0 && !ended) {
      // Only the next byte, or its absence, decides whether this was the last part.
      read();
    }
    long first = line;
    line += lines;
    return new LinePart(number, first, line - 1, body, ended && filled == 0);
  }

  private void read() throws IOException {
    if (filled < buffer.length) {
      int count = in.read(buffer, filled, buffer.length - filled);
      ended = count < 0;
      filled += Math.max(0, count);
      return;
    }
    // A body of the announced length ends here and needs no larger buffer.
    int one = in.read();
    ended = one < 0;
    if (!ended) {
      buffer = Arrays.copyOf(buffer, Math.min(MAX_BYTES, buffer.length * 2));
      buffer[filled++] = (byte) one;
    }
  }

  private static boolean blank(byte[] body) {
    for (byte each : body) {
      if (each != '\n' && each != '\r' && each != ' ' && each != '\t') {
        return false;
      }
    }
    return true;
  }

  /**
   * A part of a body, cut at line ends.
   *
   * @param number 0 for the first
   * @param firstLine number of its first line in the body, from 1
   * @param lastLine number of its last line
   * @param body its bytes; never changed
   * @param last whether the body ends with it
   */
  @SuppressWarnings("ArrayRecordComponent") // compared by nobody; a copy per part would cost
  public record LinePart(int number, long firstLine, long lastLine, byte[] body, boolean last) {
    /** Whether it is the entire body. */
    public boolean alone() {
      return number == 0 && last;
    }
  }
}

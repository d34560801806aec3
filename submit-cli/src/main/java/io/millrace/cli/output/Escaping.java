package io.millrace.cli.output;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Escapes text for a terminal: control characters and marks that change the writing direction are
 * shown and have no effect.
 */
public final class Escaping {
  private Escaping() {}

  /** One line of escaped text; a dash for null. */
  public static String text(String raw) {
    if (raw == null) {
      return "-";
    }
    if (raw.chars().noneMatch(Escaping::harmful)) {
      return raw;
    }
    StringBuilder safe = new StringBuilder(raw.length() + 16);
    raw.chars().forEach(unit -> append(safe, unit));
    return safe.toString();
  }

  private static void append(StringBuilder safe, int unit) {
    if (!harmful(unit)) {
      safe.append((char) unit);
    } else {
      safe.append(
          switch (unit) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> String.format(Locale.ROOT, unit < 0x100 ? "\\x%02x" : "\\u%04x", unit);
          });
    }
  }

  private static boolean harmful(int unit) {
    return unit < 0x20
        || (unit >= 0x7f && unit < 0xa0)
        || unit == 0x200e
        || unit == 0x200f
        || (unit >= 0x2028 && unit <= 0x202e)
        || (unit >= 0x2066 && unit <= 0x2069);
  }

  /**
   * Passes output of a program to a terminal and escapes everything that could move the cursor, set
   * the title or answer in the user's name; line breaks, tabs and colours go through. Not
   * thread-safe.
   */
  public static final class SafeStream extends FilterOutputStream {
    private static final int LONGEST_COLOUR = 24;

    private final ByteArrayOutputStream held = new ByteArrayOutputStream();

    public SafeStream(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int value) throws IOException {
      int octet = value & 0xff;
      if (held.size() > 0) {
        continueHeld(octet);
      } else if (octet == 0x1b || octet == 0xc2) {
        held.write(octet);
      } else {
        plain(octet);
      }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      for (int i = offset; i < offset + length; i++) {
        write(bytes[i]);
      }
    }

    /**
     * Writes what was held back (the start of a colour, an incomplete character) before the end.
     */
    @Override
    public void close() throws IOException {
      giveUpHeld();
      flush();
    }

    private void continueHeld(int octet) throws IOException {
      byte[] sofar = held.toByteArray();
      if (sofar[0] == (byte) 0xc2) {
        // 0xC2 0x80..0x9F are the C1 control characters in UTF-8.
        held.reset();
        if (octet >= 0x80 && octet < 0xa0) {
          escape(octet);
        } else {
          out.write(0xc2);
          write(octet);
        }
      } else if (sofar.length == 1 ? octet == '[' : parameter(octet)) {
        held.write(octet);
        if (held.size() > LONGEST_COLOUR) {
          giveUpHeld();
        }
      } else if (sofar.length > 1 && octet == 'm') {
        held.write(octet);
        out.write(held.toByteArray());
        held.reset();
      } else {
        giveUpHeld();
        write(octet);
      }
    }

    private static boolean parameter(int octet) {
      return (octet >= '0' && octet <= '9') || octet == ';';
    }

    private void giveUpHeld() throws IOException {
      byte[] bytes = held.toByteArray();
      held.reset();
      for (byte octet : bytes) {
        plain(octet & 0xff);
      }
    }

    private void plain(int octet) throws IOException {
      boolean control = octet < 0x20 && octet != '\n' && octet != '\t' && octet != '\r';
      if (control || octet == 0x7f) {
        escape(octet);
      } else {
        out.write(octet);
      }
    }

    private void escape(int octet) throws IOException {
      out.write(String.format(Locale.ROOT, "\\x%02x", octet).getBytes(StandardCharsets.US_ASCII));
    }
  }
}

package io.millrace.queuenode.http;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** JSON text as bytes of UTF-8: checks it, cuts values out of it. */
final class JsonText {
  private JsonText() {}

  /**
   * Refuses what is not UTF-8, which a parser need not notice in text that it skips.
   *
   * @throws MillraceException MALFORMED_BODY
   */
  static void requireUtf8(byte[] body) {
    for (byte b : body) {
      // Neither beyond ASCII nor the zero of a wider encoding: most bodies end here.
      if (b <= 0) {
        decode(body);
        return;
      }
    }
  }

  private static void decode(byte[] body) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException e) {
      throw notUtf8(e);
    }
    // A parser would take these for marks of other encodings.
    if (text.indexOf(0) >= 0 || text.startsWith("\ufeff")) {
      throw notUtf8(null);
    }
  }

  private static MillraceException notUtf8(Exception cause) {
    return new MillraceException(
        ErrorCode.MALFORMED_BODY,
        "the body is not plain UTF-8; nothing of the batch was stored",
        cause);
  }

  /**
   * A copy of a well-formed value on one line; every value in it stays as it is written. White
   * space is taken out only where there are line breaks.
   */
  static byte[] cut(byte[] body, int from, int behind) {
    int end = behind;
    // A parser may have looked one character further.
    while (end > from && isSpace(body[end - 1])) {
      end--;
    }
    for (int i = from; i < end; i++) {
      if (body[i] == '\n' || body[i] == '\r') {
        return compact(body, from, end);
      }
    }
    return Arrays.copyOfRange(body, from, end);
  }

  private static byte[] compact(byte[] body, int from, int end) {
    ByteArrayOutputStream compact = new ByteArrayOutputStream(end - from);
    boolean inString = false;
    for (int i = from; i < end; i++) {
      byte b = body[i];
      if (!inString && isSpace(b)) {
        continue;
      }
      compact.write(b);
      if (b == '"') {
        inString = !inString;
      } else if (b == '\\' && inString) {
        // The escaped character can't end the string.
        i++;
        compact.write(body[i]);
      }
    }
    return compact.toByteArray();
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }
}

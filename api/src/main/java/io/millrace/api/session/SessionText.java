package io.millrace.api.session;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.Pure;

/**
 * Texts of callers that are kept with sessions: keys, ids of events, names of workers. A surrogate
 * without its other half is no character and has no UTF-8: two texts that differ in memory would be
 * the same when they are read from disk. Control characters do not pass through environments of
 * processes, lines and terminals.
 */
@Pure
public final class SessionText {
  private SessionText() {}

  /** Whether a text can be stored and passed on unchanged. */
  public static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c)) {
        return false;
      }
      if (Character.isSurrogate(c)) {
        boolean pair = i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1));
        if (!pair) {
          return false;
        }
        i++;
      }
    }
    return true;
  }

  /**
   * Refuses a text that cannot be kept as it is.
   *
   * @param what names it in the message
   * @param text null for none
   * @throws MillraceException INVALID_REQUEST
   */
  public static void requirePlain(String what, String text) {
    if (text != null && !isPlain(text)) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          what
              + " has a control character, such as a line break or U+0000, or half of a surrogate"
              + " pair (\\ud800 to \\udfff); use other characters");
    }
  }

  /**
   * The same for one that has at most so many characters.
   *
   * @throws MillraceException INVALID_REQUEST
   */
  public static void require(String what, String text, int longest) {
    if (text != null && text.length() > longest) {
      throw new MillraceException(
          ErrorCode.INVALID_REQUEST,
          "%s has %d characters; at most %d are allowed".formatted(what, text.length(), longest));
    }
    requirePlain(what, text);
  }
}

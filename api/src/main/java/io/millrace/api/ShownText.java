package io.millrace.api;

/**
 * Shortens what a caller wrote where a message repeats it: a wrong name may have megabytes. Pure.
 */
public final class ShownText {
  private static final int LONGEST = 100;

  private ShownText() {}

  /** The text itself, or its start if it has more than 100 characters. */
  public static String of(String text) {
    if (text == null || text.length() <= LONGEST) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(LONGEST - 2)) ? LONGEST - 2 : LONGEST - 1;
    return text.substring(0, end) + "…";
  }
}

package io.millrace.api;

/**
 * Shortens what a caller wrote where a message repeats it: a wrong name may have megabytes. Pure.
 */
public final class ShownText {
  private static final int LONGEST = 100;

  private ShownText() {}

  /** The text itself, or its start if it has more than 100 characters. */
  public static String of(String text) {
    return of(text, LONGEST);
  }

  /**
   * The same with another limit.
   *
   * @param longest characters of the result, at least 2
   */
  public static String of(String text, int longest) {
    if (text == null || text.length() <= longest) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(longest - 2)) ? longest - 2 : longest - 1;
    return text.substring(0, end) + "…";
  }
}

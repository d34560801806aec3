package io.millrace.api;

import java.util.Locale;

/** Values in the text of messages. */
public final class MessageText {
  private MessageText() {}

  /**
   * A constant in words: {@code FAILED} as {@code failed}, {@code TIMED_OUT} as {@code timed out}.
   */
  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** A number of things: {@code 1 event}, {@code 2 events}. */
  public static String counted(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }
}

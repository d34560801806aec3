package io.millrace.manager.job;

/** Cuts texts to what their column holds, so that a long message never fails a state change. */
final class SpacedList {
  private static final int LINE = 1000;
  private static final int TAIL = 4000;

  private SpacedList() {}

  /** The beginning, where a reason says the most. */
  static String line(String text) {
    return text == null || text.length() <= LINE ? text : text.substring(0, LINE - 1) + "…";
  }

  /** The end, where last words are. */
  static String tail(String text) {
    return text == null || text.length() <= TAIL ? text : text.substring(text.length() - TAIL);
  }
}

package io.millrace.api;

import java.util.Collection;
import java.util.List;
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

  /** What may be written, in the order of the alphabet: {@code job, queue or task}. */
  public static String choice(Collection<String> words) {
    List<String> sorted = words.stream().sorted().toList();
    int last = sorted.size() - 1;
    return last < 1
        ? String.join("", sorted)
        : String.join(", ", sorted.subList(0, last)) + " or " + sorted.get(last);
  }

  /** A number of things: {@code 1 event}, {@code 2 events}. */
  public static String counted(long number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }
}

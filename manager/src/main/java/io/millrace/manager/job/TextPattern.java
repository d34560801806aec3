package io.millrace.manager.job;

/**
 * A text to compare with: exactly, or with {@code *} for any number of any characters.
 *
 * @param text as written
 * @param wild whether its stars stand for something
 */
public record TextPattern(String text, boolean wild) {
  /** What makes the next character of a {@link #like} mean itself. */
  public static final char ESCAPE = '!';

  /** A pattern if it has a star, else the text itself. */
  public static TextPattern of(String text) {
    return new TextPattern(text, text.indexOf('*') >= 0);
  }

  /** The text itself, whatever it holds. */
  public static TextPattern exactly(String text) {
    return new TextPattern(text, false);
  }

  /** Every text that holds this one; stars within stand for something. */
  public static TextPattern containing(String text) {
    return new TextPattern("*" + text + "*", true);
  }

  /** The operand of a LIKE with {@link #ESCAPE}. */
  public String like() {
    StringBuilder like = new StringBuilder(text.length() + 4);
    for (int i = 0; i < text.length(); i++) {
      char next = text.charAt(i);
      if (next == '*' && wild) {
        like.append('%');
      } else {
        if (next == '%' || next == '_' || next == ESCAPE) {
          like.append(ESCAPE);
        }
        like.append(next);
      }
    }
    return like.toString();
  }
}

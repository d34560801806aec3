package io.millrace.cli.output;

/**
 * How text is shown: with colours or without, and on lines of which width.
 *
 * @param on whether colours are used
 * @param width columns of a line; {@link #UNKNOWN_WIDTH} for a terminal of unknown width
 */
public record Palette(boolean on, int width) {
  /** Tables keep to the limits of their columns. */
  public static final int UNKNOWN_WIDTH = 0;

  /** Of a file or a pipe: nothing is cut. */
  public static final int NO_LIMIT = Integer.MAX_VALUE;

  /** The same for lines that are indented. */
  Palette indented(int columns) {
    return new Palette(on, width - Math.min(width, columns));
  }

  public String paint(Style style, String text) {
    return on ? style.wrap(text) : text;
  }

  /** Meaning of a text, shown as a colour. */
  public enum Style {
    PLAIN(""),
    HEADING("1"),
    GOOD("32"),
    ACTIVE("36"),
    WARNING("33"),
    BAD("31"),
    FAINT("2");

    private final String code;

    Style(String code) {
      this.code = code;
    }

    String wrap(String text) {
      return code.isEmpty() || text.isEmpty() ? text : "\u001b[" + code + "m" + text + "\u001b[0m";
    }
  }
}

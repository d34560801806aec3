package io.millrace.cli.output;

/**
 * Colours, or none.
 *
 * @param on whether colours are used
 */
public record Palette(boolean on) {
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

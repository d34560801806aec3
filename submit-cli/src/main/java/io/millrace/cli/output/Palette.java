package io.millrace.cli.output;

/**
 * Colours, or none.
 *
 * @param on whether the terminal shows them and nobody objects
 */
public record Palette(boolean on) {
  public String paint(Style style, String text) {
    return on ? style.wrap(text) : text;
  }
}

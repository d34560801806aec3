package io.millrace.cli.output;

/**
 * One field of a table.
 *
 * @param text harmless already
 * @param style how it is coloured
 */
public record Cell(String text, Style style) {
  /** Text that others wrote, made harmless. */
  public static Cell of(String foreign) {
    return new Cell(Escaping.text(foreign), Style.PLAIN);
  }

  public static Cell of(String foreign, Style style) {
    return new Cell(Escaping.text(foreign), style);
  }

  public static Cell of(long count) {
    return new Cell(Figures.count(count), count == 0 ? Style.FAINT : Style.PLAIN);
  }
}

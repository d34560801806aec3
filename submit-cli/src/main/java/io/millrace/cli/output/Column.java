package io.millrace.cli.output;

/**
 * A column of a table.
 *
 * @param title its heading
 * @param right whether its fields are aligned to the right
 * @param widest longer fields are cut, with an ellipsis; 0 for never
 */
public record Column(String title, boolean right, int widest) {
  public static Column left(String title) {
    return new Column(title, false, 0);
  }

  public static Column left(String title, int widest) {
    return new Column(title, false, widest);
  }

  public static Column right(String title) {
    return new Column(title, true, 0);
  }

  String cut(String text) {
    return widest > 0 && text.length() > widest ? text.substring(0, widest - 1) + "…" : text;
  }
}

package io.millrace.cli.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Writes an SVG document from the top down: texts, frames, lines and areas on a white background.
 * Texts are escaped. Not thread-safe.
 */
final class SvgDocument {
  private static final String GREY = "#666";
  private static final List<String> COLOURS =
      List.of(
          "#1565c0", "#c62828", "#2e7d32", "#6a1b9a", "#ef6c00", "#00838f", "#5d4037", "#546e7a");

  private final StringBuilder out = new StringBuilder();

  /** An empty document of this size. */
  SvgDocument(int width, int height) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
            + " font-size=\"12\">",
        width, height);
    add("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
  }

  /** The colour of a line, by its number. */
  static String colour(int line) {
    return COLOURS.get(line % COLOURS.size());
  }

  /** A heading above everything else. */
  void title(int x, String text) {
    add("<text x=\"%d\" y=\"20\" font-size=\"15\">%s</text>", x, escaped(text));
  }

  void text(double x, double y, String text) {
    add("<text x=\"%.0f\" y=\"%.0f\">%s</text>", x, y, escaped(text));
  }

  /** An entry of a legend. */
  void text(double x, double y, String text, String colour) {
    add("<text x=\"%.0f\" y=\"%.0f\" fill=\"%s\">%s</text>", x, y, colour, escaped(text));
  }

  /** A text that ends at this point, such as the value next to an axis. */
  void textEndingAt(double x, double y, String text) {
    add("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%s</text>", x, y, escaped(text));
  }

  /** A text around this point, such as the time below an axis. */
  void textAround(double x, double y, String text) {
    add(
        "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\" fill=\"%s\">%s</text>",
        x, y, GREY, escaped(text));
  }

  /** The border of a panel with its name above and the ends of its scale on the left. */
  void panel(int x, int y, int width, int height, String name, String maximum) {
    frame(x, y, width, height);
    text(x, y - 5, name);
    textEndingAt(x - 6, y + 10, maximum);
    textEndingAt(x - 6, y + height, "0");
  }

  void frame(int x, int y, int width, int height) {
    add(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>",
        x, y, width, height);
  }

  /** A horizontal line that marks a value. */
  void gridLine(int left, int right, double y) {
    add(
        "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e2e8f0\"/>",
        left, right, y, y);
  }

  void polyline(List<Point> points, String colour) {
    add("<polyline fill=\"none\" stroke=\"%s\" points=\"%s\"/>", colour, joined(points));
  }

  void area(List<Point> points, String colour) {
    add("<polygon points=\"%s\" fill=\"%s\" fill-opacity=\"0.75\"/>", joined(points), colour);
  }

  void dot(Point point, String colour) {
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>", point.x(), point.y(), colour);
  }

  /** The document. */
  String svg() {
    return out + "</svg>\n";
  }

  private static String joined(List<Point> points) {
    List<String> pairs = new ArrayList<>(points.size());
    for (Point point : points) {
      pairs.add(String.format(Locale.ROOT, "%.1f,%.1f", point.x(), point.y()));
    }
    return String.join(" ", pairs);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private void add(String pattern, Object... values) {
    out.append(String.format(Locale.ROOT, pattern, values)).append('\n');
  }

  /** A point of a line; y grows downwards. */
  record Point(double x, double y) {}
}

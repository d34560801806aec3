package io.millrace.cli.output;

import io.millrace.cli.output.Palette.Style;
import java.util.ArrayList;
import java.util.List;

/**
 * An aligned table: a heading and one row per object. Where lines may be long enough, fields are
 * shown whole; otherwise columns have the limits that they are created with. Not thread-safe.
 */
public final class Table {
  private static final String GAP = "  ";

  private final List<Column> columns;
  private final List<List<Cell>> rows = new ArrayList<>();

  public Table(Column... columns) {
    this.columns = List.of(columns);
    rows.add(this.columns.stream().map(column -> new Cell(column.title(), Style.FAINT)).toList());
  }

  /**
   * Adds a row; strings are escaped. Numbers are counts, with separators of thousands: what
   * identifies something, such as the number of a job or a version, is added as a string, so that
   * it can be pasted into a command.
   */
  public void row(Object... fields) {
    if (fields.length != columns.size()) {
      throw new IllegalArgumentException(fields.length + " fields for " + columns.size());
    }
    List<Cell> row = new ArrayList<>(fields.length);
    for (Object field : fields) {
      row.add(cell(field));
    }
    rows.add(row);
  }

  private static Cell cell(Object field) {
    if (field instanceof Cell cell) {
      return cell;
    }
    return field instanceof Number number
        ? Cell.of(number.longValue())
        : Cell.of(field == null ? null : field.toString());
  }

  /** Whether there are no rows below the heading. */
  public boolean isEmpty() {
    return rows.size() == 1;
  }

  /** The lines, without trailing spaces. */
  public List<String> lines(Palette palette) {
    int[] widths = widths(palette.width());
    return rows.stream().map(row -> line(row, widths, palette)).toList();
  }

  /** The widths of the columns: limited, and from the left on as wide as a line leaves room for. */
  private int[] widths(int line) {
    int[] widths = new int[columns.size()];
    int[] whole = new int[columns.size()];
    int room = line - GAP.length() * (columns.size() - 1);
    for (int i = 0; i < widths.length; i++) {
      for (List<Cell> row : rows) {
        whole[i] = Math.max(whole[i], row.get(i).text().length());
      }
      widths[i] = columns.get(i).limited(whole[i]);
      room -= widths[i];
    }
    for (int i = 0; i < widths.length && room > 0; i++) {
      int more = Math.min(whole[i] - widths[i], room);
      widths[i] += more;
      room -= more;
    }
    return widths;
  }

  private String line(List<Cell> row, int[] widths, Palette palette) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String text = cut(row.get(i).text(), widths[i]);
      String padding = " ".repeat(widths[i] - text.length());
      String painted = palette.paint(row.get(i).style(), text);
      boolean last = i == widths.length - 1;
      line.append(columns.get(i).right() ? padding + painted : last ? painted : painted + padding);
      line.append(last ? "" : GAP);
    }
    return line.toString().stripTrailing();
  }

  private static String cut(String text, int width) {
    return text.length() > width ? text.substring(0, width - 1) + "…" : text;
  }

  /**
   * A column of a table.
   *
   * @param title its heading
   * @param right whether its fields are aligned to the right
   * @param widest longer fields are truncated with an ellipsis if the line has no room for them; 0
   *     for no limit
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

    int limited(int width) {
      return widest > 0 ? Math.min(widest, width) : width;
    }
  }

  /**
   * One field of a table.
   *
   * @param text escaped text
   * @param style of the text
   */
  public record Cell(String text, Style style) {
    /** Escapes the text. */
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
}

package io.millrace.cli.output;

import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table.Cell;
import java.util.ArrayList;
import java.util.List;

/** Description of one object: labelled values, tables and quoted text under headings. */
public final class FieldList {
  private static final int LABEL = 12;
  private static final int MAX_LINES = 20;
  private static final String INDENT = "  ";

  private final Palette palette;
  private final List<String> lines = new ArrayList<>();

  public FieldList(Palette palette) {
    this.palette = palette;
  }

  /** The heading of the description. */
  public void title(String foreign) {
    lines.add(palette.paint(Style.HEADING, Escaping.text(foreign)));
  }

  /** A labelled value; omitted if null. */
  public void value(String label, Object value) {
    if (value == null) {
      return;
    }
    Cell cell = value instanceof Cell styled ? styled : Cell.of(value.toString());
    String padding = " ".repeat(Math.max(1, LABEL - label.length()));
    lines.add("  " + label + padding + palette.paint(cell.style(), cell.text()));
  }

  /**
   * A labelled text as it was written: the lines after its first one are indented below it, and
   * those that are too many are counted only.
   */
  public void text(String label, String foreign) {
    List<String> written = foreign.lines().toList();
    value(label, written.isEmpty() ? "" : written.get(0));
    int shown = Math.min(written.size(), MAX_LINES);
    for (String line : written.subList(Math.min(1, shown), shown)) {
      value("", line);
    }
    if (written.size() > shown) {
      int left = written.size() - shown;
      value("", Cell.of("… %d more line%s".formatted(left, left == 1 ? "" : "s"), Style.FAINT));
    }
  }

  /** A table under a heading; omitted if empty. */
  public void table(String heading, Table table) {
    if (!table.isEmpty()) {
      heading(heading);
      table.lines(palette.indented(INDENT.length())).forEach(line -> lines.add(INDENT + line));
    }
  }

  /** A separate line below the last one. */
  public void note(String foreign) {
    lines.add("  " + palette.paint(Style.FAINT, Escaping.text(foreign)));
  }

  /** Quoted text, line by line, under a heading; omitted if it is blank. */
  public void quote(String heading, String foreign) {
    if (foreign != null && !foreign.isBlank()) {
      heading(heading);
      foreign.stripTrailing().lines().forEach(line -> lines.add("  | " + Escaping.text(line)));
    }
  }

  private void heading(String heading) {
    lines.add("");
    lines.add(palette.paint(Style.HEADING, Escaping.text(heading)));
  }

  public List<String> lines() {
    return List.copyOf(lines);
  }
}

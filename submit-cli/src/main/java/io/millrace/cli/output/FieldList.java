package io.millrace.cli.output;

import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table.Cell;
import java.util.ArrayList;
import java.util.List;

/** Description of one object: labelled values, tables and quoted text under headings. */
public final class FieldList {
  private static final int LABEL = 12;

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

  /** A table under a heading; omitted if empty. */
  public void table(String heading, Table table) {
    if (!table.isEmpty()) {
      heading(heading);
      table.lines(palette).forEach(line -> lines.add("  " + line));
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

package io.millrace.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import org.junit.jupiter.api.Test;

class TableTest {
  private static final Palette NONE = new Palette(false, Palette.UNKNOWN_WIDTH);

  @Test
  void numbersAreAlignedRightAndTextLeft() {
    Table table = new Table(Column.left("NAME"), Column.right("COUNT"), Column.left("STATE"));
    table.row("alert", 1592, "on");
    table.row("x", 7, "");
    assertThat(table.lines(NONE))
        .containsExactly("NAME   COUNT  STATE", "alert  1,592  on", "x          7");
  }

  @Test
  void longFieldsAreCutAndMissingOnesAreADash() {
    Table table = new Table(Column.left("NAME", 5), Column.left("NODE"));
    table.row("abcdefgh", null);
    assertThat(table.lines(NONE)).containsExactly("NAME   NODE", "abcd…  -");
  }

  @Test
  void coloursDoNotAffectAlignment() {
    Table table = new Table(Column.left("A"), Column.left("B"));
    table.row(new Cell("ok", Style.GOOD), "x");
    table.row("longer", "y");
    assertThat(table.lines(new Palette(true, Palette.UNKNOWN_WIDTH)).get(1))
        .isEqualTo("\u001b[32mok\u001b[0m      x");
  }

  @Test
  void fieldsAreWholeAsFarAsTheLineHasRoomForThemFromTheLeftOn() {
    Table table = new Table(Column.left("NAME", 5), Column.right("N"), Column.left("REMARK", 6));
    table.row("abcdefgh", 7, "0123456789");
    assertThat(last(table, Palette.UNKNOWN_WIDTH)).isEqualTo("abcd…  7  01234…");
    assertThat(last(table, 10)).isEqualTo("abcd…  7  01234…");
    assertThat(last(table, 18)).isEqualTo("abcdef…  7  01234…");
    assertThat(last(table, 21)).isEqualTo("abcdefgh  7  0123456…");
    assertThat(last(table, 23)).isEqualTo("abcdefgh  7  0123456789");
    assertThat(last(table, Palette.NO_LIMIT)).isEqualTo("abcdefgh  7  0123456789");
  }

  private static String last(Table table, int width) {
    return table.lines(new Palette(false, width)).get(1);
  }

  @Test
  void aTableOfADescriptionIsIndentedWithinTheLine() {
    Table table = new Table(Column.left("NAME", 5));
    table.row("abcdefgh");
    FieldList fields = new FieldList(new Palette(false, 9));
    fields.table("Names", table);
    assertThat(fields.lines()).endsWith("  abcdef…");
  }
}

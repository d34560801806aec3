package io.millrace.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.output.Palette.Style;
import io.millrace.cli.output.Table.Cell;
import io.millrace.cli.output.Table.Column;
import org.junit.jupiter.api.Test;

class TableTest {
  private static final Palette NONE = new Palette(false);

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
    assertThat(table.lines(new Palette(true)).get(1)).isEqualTo("\u001b[32mok\u001b[0m      x");
  }
}

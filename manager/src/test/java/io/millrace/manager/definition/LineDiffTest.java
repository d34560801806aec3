package io.millrace.manager.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.manager.definition.StoredText.LineDiff;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class LineDiffTest {
  @Test
  void onlyChangedLinesAreShown() {
    assertThat(LineDiff.between(List.of("a", "b", "c"), List.of("a", "x", "c")))
        .containsExactly("- b", "+ x");
    assertThat(LineDiff.between(List.of(), List.of("a"))).containsExactly("+ a");
  }

  @Test
  void aFewChangesOfALongTextAreFound() {
    List<String> before = numbered("a", 20_000);
    List<String> after = new ArrayList<>(before);
    after.set(100, "x");
    after.remove(19_000);
    after.add(10_000, "y");

    assertThat(LineDiff.between(before, after)).containsExactly("- a100", "+ x", "+ y", "- a19000");
  }

  /** A table of both lengths took the heap of the server. */
  @Test
  void longTextsWithoutACommonLineAreRemovedAndAdded() {
    List<String> diff = LineDiff.between(numbered("a", 60_000), numbered("b", 60_000));

    assertThat(diff).hasSize(120_000);
    assertThat(diff.get(59_999)).isEqualTo("- a59999");
    assertThat(diff.get(60_000)).isEqualTo("+ b0");
  }

  private static List<String> numbered(String prefix, int count) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(prefix + i);
    }
    return lines;
  }

  @Property
  void noLongerThanTheTableOfBothLengthsSays(
      @ForAll("texts") List<String> before, @ForAll("texts") List<String> after) {
    int[][] common = new int[before.size() + 1][after.size() + 1];
    for (int i = before.size() - 1; i >= 0; i--) {
      for (int j = after.size() - 1; j >= 0; j--) {
        common[i][j] =
            before.get(i).equals(after.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }

    assertThat(LineDiff.between(before, after))
        .hasSize(before.size() + after.size() - 2 * common[0][0]);
  }

  @Property
  void takingTheLinesThatGoAndAddingThoseThatComeGivesTheNewText(
      @ForAll("texts") List<String> before, @ForAll("texts") List<String> after) {
    List<String> diff = LineDiff.between(before, after);

    List<String> kept = new ArrayList<>(before);
    List<String> common = new ArrayList<>(after);
    for (String line : diff) {
      (line.startsWith("- ") ? kept : common).remove(line.substring(2));
    }
    assertThat(kept).hasSameElementsAs(common).hasSameSizeAs(common);
    assertThat(before.equals(after)).isEqualTo(diff.isEmpty());
  }

  @Provide
  Arbitrary<List<String>> texts() {
    return Arbitraries.of("a", "b", "c").list().ofMaxSize(8);
  }
}

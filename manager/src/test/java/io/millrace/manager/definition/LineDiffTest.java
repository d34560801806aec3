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

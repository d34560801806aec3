package io.millrace.tests.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A diff shows removed and added lines with little context. */
class LineDiffTest {
  @Test
  void equalTextsHaveNoDiff() {
    assertThat(LineDiff.of(List.of("a", "b"), List.of("a", "b"))).isEmpty();
  }

  @Test
  void aChangeIsShownWithThreeLinesOfContext() {
    List<String> before = IntStream.rangeClosed(1, 9).mapToObj(n -> "line " + n).toList();
    List<String> now = before.stream().map(line -> line.replace("5", "five")).toList();
    assertThat(LineDiff.of(before, now))
        .isEqualTo(
            """
              @@ line 5
                line 2
                line 3
                line 4
              - line 5
              + line five
                line 6
                line 7
                line 8
            """);
  }

  @Test
  void addedAndRemovedLinesAreShownSeparately() {
    assertThat(LineDiff.of(List.of("a", "c"), List.of("a", "b", "c"))).contains("  + b\n");
    assertThat(LineDiff.of(List.of("a", "b", "c"), List.of("a", "c")))
        .contains("  - b\n")
        .doesNotContain("+");
  }
}

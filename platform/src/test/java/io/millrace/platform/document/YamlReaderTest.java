package io.millrace.platform.document;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.platform.document.YamlReader.YamlDocument;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class YamlReaderTest {
  private final List<String> problems = new ArrayList<>();

  @Test
  void keysAndElementsHaveTheirLines() {
    YamlDocument document = read("name: a\nsteps:\n  - x\n  - name: y\n");

    assertThat(document.line("name")).contains(1);
    assertThat(document.line("steps[0]")).contains(3);
    assertThat(document.line("steps[1].name")).contains(4);
    assertThat(document.place("steps[7].name")).isEqualTo("f.yaml, steps[7].name (line 2)");
  }

  /** A long key above a long list: its name was kept once for each element. */
  @Test
  void theLinesOfALargeDocumentAreBoundedInNumberAndLength() {
    YamlDocument document =
        read("? " + "k".repeat(3_000) + "\n: [" + "a,".repeat(20_000) + "a]\nlist: [b]\n");

    assertThat(document.content().get("k".repeat(3_000))).hasSize(20_001);
    assertThat(document.lines()).hasSizeLessThanOrEqualTo(10_000);
    assertThat(document.lines().keySet()).allMatch(path -> path.length() <= 500);

    YamlDocument longer = read("list: [" + "a,".repeat(20_000) + "a]\n");
    assertThat(longer.content().get("list")).hasSize(20_001);
    assertThat(longer.lines()).hasSize(10_000);
    assertThat(longer.line("list[20000]")).contains(1);
  }

  @Test
  void aliasesAreRefusedWithTheirPlaceAndABoundedList() {
    read("name: a\nx: [" + "*a,".repeat(5_000) + "*a]\n");

    assertThat(problems)
        .hasSize(100)
        .first()
        .isEqualTo(
            "f.yaml, x[0] (line 2): anchors and aliases are not supported; repeat the value");
  }

  private YamlDocument read(String text) {
    return YamlReader.typed("f.yaml", text, problems);
  }
}

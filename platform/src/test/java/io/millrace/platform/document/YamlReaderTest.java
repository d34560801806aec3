package io.millrace.platform.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.Json;
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

  @Test
  void plainScalarsBelowTheTypedPathAreThoseOfTheCoreSchemaAndAllOthersAreTexts() {
    String values =
        "[5, -5, +5, 010, 0x1F, 1.5, .5, 1e3, true, False, null, ~, yes, off, 1_000, 0b11, 1:30,"
            + " .inf, 2026-01-01, '5', \"true\", 'null']";
    JsonNode read =
        YamlReader.verbatim(
                "f.yaml", "a: {b: " + values + "}\nc: {b: [5, true]}\nb: 5\n", "a.b", problems)
            .get(0)
            .content();

    assertThat(Json.write(read.at("/a/b")))
        .isEqualTo(
            "[5,-5,5,10,31,1.5,0.5,1000.0,true,false,null,null,\"yes\",\"off\",\"1_000\",\"0b11\","
                + "\"1:30\",\".inf\",\"2026-01-01\",\"5\",\"true\",\"null\"]");
    assertThat(Json.write(read.at("/c/b"))).isEqualTo("[\"5\",\"true\"]");
    assertThat(Json.write(read.at("/b"))).isEqualTo("\"5\"");
  }

  @Test
  void integersAreAsLargeAsWritten() {
    for (String number :
        new String[] {"2147483648", "9223372036854775808", "-1" + "0".repeat(30)}) {
      assertThat(CoreScalar.of(number)).isEqualTo(Json.read(number, JsonNode.class));
    }
    assertThat(CoreScalar.of("1".repeat(1_001)).isTextual()).isTrue();
    assertThat(CoreScalar.of("1e400").isTextual()).isTrue();
  }

  @Test
  void documentsThatAreTooDeepTooLargeOrHaveTooLongKeysAreRefused() {
    assertThat(read("? " + "k".repeat(1_001) + "\n: a\n").content()).isEmpty();
    assertThat(problems)
        .containsExactly("f.yaml, line 1: not valid YAML: a key of 1001 characters; at most 1000");

    problems.clear();
    read("a: " + "[".repeat(101) + "]".repeat(101));
    assertThat(problems).singleElement().asString().contains("101 levels, at most 100 are allowed");

    problems.clear();
    read("a: [" + "1,".repeat(200_000) + "1]");
    assertThat(problems).singleElement().asString().contains("more than 200000 values");

    problems.clear();
    read("a: " + "[".repeat(99) + "]".repeat(99));
    assertThat(problems).isEmpty();
  }

  @Test
  void aSyntaxErrorSaysWhatIsWrongAndNotOnlyWhatWasBeingRead() {
    read("a:\n\tb: 1\n");
    assertThat(problems).singleElement().asString().contains("cannot start any token");
    problems.clear();
    read("a: [1, 2\nb: 3\n");
    assertThat(problems).singleElement().asString().contains("expected").doesNotContain("while");
  }

  @Test
  void aViolatedRuleNamesItsKeyOnce() {
    YamlDocument document = read("schedule:\n  cron: x\n");
    assertThat(document.violation("schedule.cron: 'x' has 1 field"))
        .isEqualTo("f.yaml, schedule.cron (line 2): 'x' has 1 field");
    assertThat(document.violation("schedule.cron must be short"))
        .isEqualTo("f.yaml, schedule.cron (line 2): schedule.cron must be short");
    assertThat(document.violation("name: is missing"))
        .isEqualTo("f.yaml (line 1): name: is missing");
  }

  /** A long key above a long list: its name was kept once for each element. */
  @Test
  void theLinesOfALargeDocumentAreBoundedInNumberAndLength() {
    YamlDocument document =
        read("? " + "k".repeat(1_000) + "\n: [" + "a,".repeat(20_000) + "a]\nlist: [b]\n");

    assertThat(document.content().get("k".repeat(1_000))).hasSize(20_001);
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

package io.millrace.api.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlaceholdersTest {
  @Test
  void namesAreFoundInTheOrderOfTheirFirstOccurrence() {
    assertThat(Placeholders.names("--in={file} --night={workflow.night} {file} {a-b_2}"))
        .containsExactly("file", "workflow.night", "a-b_2");
    assertThat(Placeholders.names("nothing here")).isEmpty();
  }

  @Test
  void valuesReplaceNames() {
    assertThat(Placeholders.fill("{a}{b}-{a}", Map.of("a", "1", "b", "ü x"))).isEqualTo("1ü x-1");
  }

  @Test
  void namesWithoutValueStayAsWritten() {
    assertThat(Placeholders.fill("{a} {b}", Map.of("b", "2"))).isEqualTo("{a} 2");
  }

  @Test
  void doubledBracesStandForOneBrace() {
    Map<String, String> values = Map.of("a", "1");
    assertThat(Placeholders.names("${{HOME}} {{a}}")).isEmpty();
    assertThat(Placeholders.fill("${{HOME}} {{a}}", values)).isEqualTo("${HOME} {a}");
    assertThat(Placeholders.fill("{{{a}}}", values)).isEqualTo("{1}");
  }

  @Test
  void bracesAroundSomethingElseStandForThemselves() {
    String text = "awk {print $1} {} {a b} {.} {-a} {ü} } { {a";
    assertThat(Placeholders.names(text)).isEmpty();
    assertThat(Placeholders.fill(text, Map.of("a", "1"))).isEqualTo(text);
  }

  @Test
  void bracesInValuesMeanNothing() {
    assertThat(Placeholders.fill("{a}{b}", Map.of("a", "{b}}}", "b", "{{"))).isEqualTo("{b}}}{{");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "a", "{", "}", "{a}", "{{a}}", "}{", "{{{", "a}}}b", "{a}}", "{}{a{b}"})
  void anyTextIsWrittenWithDoubledBraces(String text) {
    String written = text.replace("{", "{{").replace("}", "}}");
    assertThat(Placeholders.names(written)).isEmpty();
    assertThat(Placeholders.fill(written, Map.of("a", "1"))).isEqualTo(text);
  }

  @Test
  void noMoreIsMadeThanTheLimit() {
    Map<String, String> values = Map.of("a", "12345");
    assertThat(Placeholders.fill("{a}{a}", values, 10)).contains("1234512345");
    assertThat(Placeholders.fill("{a}{a}", values, 9)).isEmpty();
    assertThat(Placeholders.fill("{a}-text", values, 9)).isEmpty();
    assertThat(Placeholders.fill("text", values, 3)).isEmpty();
    // Would be 2 GB.
    Map<String, String> large = Map.of("a", "v".repeat(1_000_000));
    assertThat(Placeholders.fill("{a}".repeat(2_000), large, 128 * 1024)).isEmpty();
  }
}

package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {
  record Named(String name) {
    Named {
      if (name == null) {
        throw new IllegalArgumentException("a name is needed");
      }
      if (name.isEmpty()) {
        throw new IllegalArgumentException();
      }
    }
  }

  @Test
  void refusalsByAFieldsRuleNameNoClasses() {
    assertThatThrownBy(() -> Json.read(bytes("{}"), Named.class))
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith("not readable as Named: a name is needed (line 1")
        .hasMessageNotContaining("io.millrace");
  }

  @Test
  void aRuleWithoutAMessageIsStillExplained() {
    assertThatThrownBy(() -> Json.read(bytes("{\"name\": \"\"}"), Named.class))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Cannot construct");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      textBlock =
          """
          {"a": 1               | the text ends before a value, object or list is complete
          [1, 2                 | the text ends before a value, object or list is complete
          {"a                   | the text ends before a value, object or list is complete
          {"a": 1 "b": 2}       | a comma, or the end of the object or list, is missing before '"'
          [1 2]                 | a comma, or the end of the object or list, is missing before '2'
          {"a" 1}               | a colon is missing between a key and its value
          {a: 1}                | a key in double quotes is expected, not 'a'
          {"a": }               | a value is expected, not '}'
          [1}                   | ']' is expected, not '}'
          bad                   | 'bad': it is not a value: write a number, true, false, null, or a string in double quotes
          ^^                    | the text is empty
          """)
  void whatIsWrongWithTheTextIsSaidWithItsPlaceInTheWordsOfItsAuthor(String json, String words) {
    assertThatThrownBy(() -> Json.read(bytes(json == null ? "" : json), JsonNode.class))
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith("not readable as JSON: " + words + " (line 1, column ")
        .hasMessageNotContainingAny("Object", "Array", "end-of-input", "token", "expecting");
  }

  @Test
  void textInTooManyLevelsIsRefusedWithTheLimit() {
    String deep = "[".repeat(2_000);
    assertThatThrownBy(() -> Json.read(bytes(deep), JsonNode.class))
        .hasMessageContaining("objects and lists inside each other: 1001 levels, at most 1000 are");
  }

  private static byte[] bytes(String json) {
    return json.getBytes(StandardCharsets.UTF_8);
  }
}

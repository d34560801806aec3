package io.millrace.cli.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SubmitArgumentsTest {
  @Test
  void theOldSyntaxSeparatesBySpaces() {
    assertThat(SubmitArguments.arguments("one  two \\\"three\\\" 'four'"))
        .isEqualTo(List.of("one", "two", "\"three\"", "'four'"));
  }

  @Test
  void theNewSyntaxGroupsBySingleQuotes() {
    assertThat(SubmitArguments.arguments("\"one 'two  words' it''s 'don''t' \"\"q\"\" ''\""))
        .isEqualTo(List.of("one", "two  words", "its", "don't", "\"q\"", ""));
  }

  @Test
  void environmentsHaveBothSyntaxes() {
    assertThat(SubmitArguments.environment("A=1;B=two words"))
        .isEqualTo(Map.of("A", "1", "B", "two words"));
    assertThat(SubmitArguments.environment("\"A=1 B='two words' C='it''s'\""))
        .isEqualTo(Map.of("A", "1", "B", "two words", "C", "it's"));
  }

  @Test
  void openQuotesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SubmitArguments.arguments("\"a 'b\""))
        .withMessageContaining("single quote is not closed");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SubmitArguments.arguments("\"a"))
        .withMessageContaining("double quote");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SubmitArguments.environment("\"A=1 B\""))
        .withMessageContaining("'B' is not NAME=value");
  }
}

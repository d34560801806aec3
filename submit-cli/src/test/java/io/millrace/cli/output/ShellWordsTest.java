package io.millrace.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class ShellWordsTest {
  @Test
  void whatIsWrittenIsReadAgain() {
    List<String> arguments = List.of("a", "", "b c", "it's", "\"q\"", "back\\slash", "$HOME", "é");
    assertThat(ShellWords.split(ShellWords.of(arguments))).isEqualTo(arguments);
  }

  @Test
  void quotesAndBackslashesAreReadAsByAShell() {
    assertThat(ShellWords.split("  /opt/page --to 'a b'\"c d\" e\\ f  "))
        .containsExactly("/opt/page", "--to", "a bc d", "e f");
    assertThat(ShellWords.split("   ")).isEmpty();
  }

  @Test
  void openQuoteIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ShellWords.split("page 'x"))
        .withMessageContaining("close it");
  }
}

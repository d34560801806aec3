package io.millrace.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class ShellQuotingTest {
  @Test
  void quotedArgumentsAreReadUnchanged() {
    List<String> arguments = List.of("a", "", "b c", "it's", "\"q\"", "back\\slash", "$HOME", "é");
    assertThat(ShellQuoting.split(ShellQuoting.of(arguments))).isEqualTo(arguments);
  }

  @Test
  void quotesAndBackslashesAreReadAsByAShell() {
    assertThat(ShellQuoting.split("  /opt/page --to 'a b'\"c d\" e\\ f  "))
        .containsExactly("/opt/page", "--to", "a bc d", "e f");
    assertThat(ShellQuoting.split("   ")).isEmpty();
  }

  @Test
  void openQuoteIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ShellQuoting.split("page 'x"))
        .withMessageContaining("close it");
  }
}

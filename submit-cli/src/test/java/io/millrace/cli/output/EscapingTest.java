package io.millrace.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.output.Escaping.SafeStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EscapingTest {
  @Test
  void ordinaryTextIsUnchanged() {
    assertThat(Escaping.text("größer → 東京 👍 %s <b>")).isEqualTo("größer → 東京 👍 %s <b>");
  }

  @Test
  void controlCharactersAreEscaped() {
    for (int unit = 0; unit < 0x100; unit++) {
      String escaped = Escaping.text(String.valueOf((char) unit));
      assertThat(escaped.chars()).noneMatch(Character::isISOControl);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'a\u001b[2Jb', 'a\\x1b[2Jb'",
    "'\u001b[1;31mred\u001b[0m', '\u001b[1;31mred\u001b[0m'",
    "'a\u001b', 'a\\x1b'",
    "'\u001b[12', '\\x1b[12'",
    "'é\u009bx', 'é\\x9bx'",
    "'Âb', 'Âb'",
    "'tab\there', 'tab\there'",
    "'\u001b\u001b[0m', '\\x1b\u001b[0m'"
  })
  void outputOfProgramsKeepsColoursOnly(String written, String shown) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (SafeStream safe = new SafeStream(out)) {
      safe.write(written.getBytes(StandardCharsets.UTF_8));
    }
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(shown);
  }
}

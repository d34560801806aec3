package io.millrace.platform.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which name a wrong one stands for. */
final class NearestNameTest {
  @Test
  void aMisspeltNameIsRecognised() {
    assertThat(NearestName.of("comand", List.of("cwd", "command"))).contains("command");
    assertThat(NearestName.of("x", List.of("command"))).isEmpty();
  }

  @Test
  void aTextThatIsTooLongForANameIsComparedWithNone() {
    String longest = "n".repeat(60);
    assertThat(NearestName.of(longest, List.of("n".repeat(59)))).isPresent();
    assertThat(NearestName.of(longest + "n", List.of(longest))).isEmpty();
  }
}

package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

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

  private static byte[] bytes(String json) {
    return json.getBytes(StandardCharsets.UTF_8);
  }
}

package io.millrace.api.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where definitions may say that the key of an event is. */
class SessionKeyPlaceTest {
  @Test
  void aPlaceInTheDataWithoutItsSlashIsNotTakenForAnAttribute() {
    refused("order/id", "did you mean '/order/id'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a~2b", "/a~", "/~x/b"})
  void aPointerWithAWrongEscapeIsRefused(String pointer) {
    refused(pointer, "is not a JSON pointer");
  }

  @ParameterizedTest
  @ValueSource(strings = {"customer", "order.id", "X-Order-Id", "order_id"})
  void plainNamesAreAttributes(String name) {
    assertThat(SessionKey.at(name).of(Map.of(name, "17"), bytes("{}"))).isEqualTo("17");
  }

  @Test
  void aRefusedEventSaysWhatIsMissing() {
    assertThat(SessionKey.at("/a~1b").of(null, bytes("{\"a/b\":7}"))).isEqualTo("7");
    assertThatThrownBy(() -> SessionKey.at("/order").of(null, bytes("{\"order\":1.5}")))
        .hasMessageEndingWith("/order is missing, empty, or not a text or whole number");
  }

  private static byte[] bytes(String json) {
    return json.getBytes(StandardCharsets.UTF_8);
  }

  private static void refused(String expression, String reason) {
    assertThatThrownBy(() -> SessionKey.at(expression))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_DEFINITION))
        .hasMessageContaining(reason);
  }
}

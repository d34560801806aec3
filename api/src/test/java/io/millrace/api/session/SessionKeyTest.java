package io.millrace.api.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.Json;
import io.millrace.api.MillraceException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionKeyTest {
  private static final SessionKey IN_DATA = SessionKey.at("/order");
  private static final SessionKey ATTRIBUTE = SessionKey.at("order");

  private static byte[] data(String key) {
    return Json.writeBytes(Map.of("order", key));
  }

  @ParameterizedTest
  @ValueSource(strings = {"17", "a b", "é", "日本", "\ud83d\ude00", "x\ud83d\ude00y"})
  void aKeyOfWholeCharactersIsTakenAsItIs(String key) {
    assertThat(IN_DATA.of(null, data(key))).isEqualTo(key);
    assertThat(ATTRIBUTE.of(Map.of("order", key), data("other"))).isEqualTo(key);
  }

  /** Stored in UTF-8 they would all be question marks, and one key. */
  @ParameterizedTest
  @ValueSource(strings = {"\ud800", "\udc00", "a\ud800", "\ud800b", "\udc00\ud800", "\ud800\ud800"})
  void aKeyWithHalfASurrogatePairIsRefused(String key) {
    assertRefused(key);
  }

  /** No process gets an environment with U+0000, and no log a line break. */
  @ParameterizedTest
  @ValueSource(strings = {"a\u0000", "a\nb", "\ra", "a\tb", "a\u001b[2J", "a\u007f", "a\u0085"})
  void aKeyWithAControlCharacterIsRefused(String key) {
    assertRefused(key);
  }

  private static void assertRefused(String key) {
    assertThatThrownBy(() -> IN_DATA.of(null, data(key)))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
        .hasMessageContaining("the event's key has a control character")
        .hasMessageContaining("half of a surrogate pair");
    assertThatThrownBy(() -> ATTRIBUTE.of(Map.of("order", key), data("other")))
        .isInstanceOf(MillraceException.class);
  }

  @Test
  void aLongKeyIsRefusedWithItsLength() {
    assertThat(IN_DATA.of(null, data("k".repeat(250)))).hasSize(250);
    assertThatThrownBy(() -> IN_DATA.of(null, data("k".repeat(251))))
        .hasMessage("the event's key has 251 characters; at most 250 are allowed");
  }
}

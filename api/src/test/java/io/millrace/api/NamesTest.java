package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
  private static final String TEN = "abcdefghij";
  private static final String LONGEST = TEN + TEN + TEN + TEN + TEN + TEN;

  @ParameterizedTest
  @ValueSource(strings = {"a", "0", "alert", "Q1.eu-west_2", "ends-", LONGEST})
  void namesAreAccepted(String name) {
    assertThatCode(() -> Names.require("name", name, ErrorCode.CONFIGURATION))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", ".hidden", "-a", "a/b", "a b", "a@b", "é", LONGEST + "a"})
  void invalidNamesAreRefusedWithTheFieldAndTheCode(String text) {
    assertThatThrownBy(() -> Names.require("name", text, ErrorCode.INVALID_DEFINITION))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_DEFINITION))
        .hasMessageStartingWith("name must be 1 to 60 letters");
  }

  @Test
  void aMissingNameIsRefusedAsMissing() {
    assertThatThrownBy(() -> Names.require("name", null, ErrorCode.INVALID_DEFINITION))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_DEFINITION))
        .hasMessage("name is missing");
  }
}

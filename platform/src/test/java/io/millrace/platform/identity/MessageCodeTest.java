package io.millrace.platform.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class MessageCodeTest {
  private static final byte[] MESSAGE =
      "what do ya want for nothing?".getBytes(StandardCharsets.US_ASCII);

  private final MessageCode code = new MessageCode("Jefe".getBytes(StandardCharsets.US_ASCII));

  /** The second test case of RFC 4231. */
  @Test
  void theCodeIsThatOfTheStandard() {
    assertThat(HexFormat.of().formatHex(code.of(MESSAGE, MessageCode.LENGTH)))
        .isEqualTo("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  }

  @Test
  void anyOtherCodeIsWrong() {
    byte[] right = code.of(MESSAGE, 16);
    assertThat(code.matches(MESSAGE, right)).isTrue();
    assertThat(code.matches(new byte[1], right)).isFalse();
    right[15]++;
    assertThat(code.matches(MESSAGE, right)).isFalse();
    assertThat(Sha256.of("abc"))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }
}

package io.millrace.manager.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StableHashTest {
  /** Figures of other implementations of XXH64, seed 0. */
  @ParameterizedTest
  @CsvSource({
    "'', ef46db3751d8e999",
    "a, d24ec4f1a98c6e5b",
    "abc, 44bc2cf5ad770999",
    "xxhash, 32dd38952c4bc720",
    "Nobody inspects the spammish repetition, fbcea83c8a378bf1"
  })
  void givesWhatEveryOtherImplementationGives(String text, String hash) {
    assertThat(Long.toHexString(StableHash.of(text, 0))).isEqualTo(hash);
  }

  @Test
  void theSeedMakesAnotherHash() {
    assertThat(Long.toHexString(StableHash.of("xxhash", 20141025))).isEqualTo("b559b98d844e0635");
  }

  @Test
  void hashesTheBytesOfUtf8AndNotTheCharacters() {
    byte[] bytes = "Zürich ☂ 東京".getBytes(StandardCharsets.UTF_8);
    assertThat(StableHash.of("Zürich ☂ 東京", 7)).isEqualTo(StableHash.of(bytes, 7));
  }
}

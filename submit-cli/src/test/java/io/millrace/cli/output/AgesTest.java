package io.millrace.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgesTest {
  @ParameterizedTest
  @CsvSource({
    "PT0S,0s",
    "PT12S,12s",
    "PT59.9S,59s",
    "PT61S,1m",
    "PT5H59M,5h",
    "P3D,3d",
    "PT-5S,0s"
  })
  void anAgeHasOneUnitAndIsNeverNegative(Duration age, String words) {
    assertThat(Ages.age(age)).isEqualTo(words);
  }

  @ParameterizedTest
  @CsvSource({"0.04,40ms", "1.24,1.2s", "59.96,60.0s", "187,3m07s", "18720,5h12m"})
  void aDurationIsRounded(double seconds, String words) {
    assertThat(Ages.took(seconds)).isEqualTo(words);
  }

  @Test
  void aDurationWithoutStartOrEndIsADash() {
    assertThat(Ages.since(null, Instant.EPOCH)).isEqualTo("-");
    assertThat(Ages.between(null, Instant.EPOCH)).isEqualTo("-");
  }
}

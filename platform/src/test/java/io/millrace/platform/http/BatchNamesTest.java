package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchNamesTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
  private final BatchNames names = new BatchNames(clock);

  @Test
  void theNameOfTheProducerIsKept() {
    assertThat(names.orNew("orders/2026-01-01#7")).isEqualTo("orders/2026-01-01#7");
  }

  @Test
  void missingNamesSortByTimeAndDiffer() {
    String first = names.orNew(null);
    assertThat(names.orNew("")).isNotEqualTo(first).hasSameSizeAs(first);
    clock.advance(Duration.ofMillis(1));
    assertThat(names.orNew(null)).isGreaterThan(first);
  }

  @ParameterizedTest
  @ValueSource(strings = {"two words", "tab\there", "käse"})
  void namesThatAreNotPlainAsciiAreRefused(String given) {
    refuses(given);
  }

  @Test
  void namesAreAtMostAHundredCharactersLong() {
    assertThat(names.orNew("a".repeat(100))).hasSize(100);
    refuses("a".repeat(101));
  }

  private void refuses(String given) {
    assertThatThrownBy(() -> names.orNew(given))
        .isInstanceOfSatisfying(
            MillraceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
  }
}

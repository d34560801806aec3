package io.millrace.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.platform.clock.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FailedLoginsTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
  private final FailedLogins failures = new FailedLogins(3, clock);

  @Test
  void anAddressIsRefusedAfterTooManyFailuresUntilTheMinuteIsOver() {
    for (int i = 0; i < 3; i++) {
      failures.count("192.0.2.1");
    }
    assertThatThrownBy(() -> failures.count("192.0.2.1"))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.RATE_LIMITED))
        .hasMessageContaining("192.0.2.1");
    assertThatCode(() -> failures.count("192.0.2.2")).doesNotThrowAnyException();
    clock.advance(Duration.ofMinutes(1));
    assertThatCode(() -> failures.count("192.0.2.1")).doesNotThrowAnyException();
  }
}

package io.millrace.api.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.Durations;
import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SessionDefinitionTest {
  private static final SessionDefinition DEFAULTS = SessionDefinition.of("order");

  /** Sums of it and other times are nanoseconds of a long. */
  @Test
  void theSilenceAfterWhichAWorkerIsRetiredIsAtMostADay() {
    assertThat(DEFAULTS.withMissed(1).withHeartbeat(Duration.ofDays(1)).silence()).hasDays(1);
    assertThat(DEFAULTS.withHeartbeat(Duration.ofHours(8)).silence()).hasDays(1);
    String rule = "sessions.heartbeat times sessions.missed must be at most 1d";
    refused(rule, () -> DEFAULTS.withHeartbeat(Duration.ofHours(8).plusNanos(1)));
    refused(rule, () -> DEFAULTS.withMissed(1_000).withHeartbeat(Duration.ofMinutes(2)));
    refused(rule, () -> DEFAULTS.withMissed(1_000).withHeartbeat(Durations.LONGEST));
    refused(rule, () -> DEFAULTS.withHeartbeat(Duration.ofSeconds(Long.MAX_VALUE)));
  }

  @Test
  void otherTimesAreBoundedToo() {
    Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
    refused("sessions.retiredFor must be from 0 to 30d", () -> DEFAULTS.withRetiredFor(forEver));
    refused("sessions.remember must be from 0 to 3650d", () -> DEFAULTS.withRemember(forEver));
    refused("sessions.idle must be from 1s to 3650d", () -> DEFAULTS.withIdle(forEver));
    refused("sessions.idle must be from 1s", () -> DEFAULTS.withIdle(Duration.ofMillis(999)));
    assertThat(DEFAULTS.withIdle(Durations.LONGEST).withRemember(Durations.LONGEST)).isNotNull();
  }

  private static void refused(String rule, ThrowingCallable definition) {
    assertThatThrownBy(definition)
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_DEFINITION))
        .hasMessageContaining(rule);
  }
}

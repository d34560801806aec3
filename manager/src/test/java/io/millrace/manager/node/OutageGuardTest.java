package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OutageGuardTest {
  private static final Duration LEASE = Duration.ofSeconds(6);

  private final OutageGuard guard = new OutageGuard(LEASE);
  private Instant database = Instant.parse("2030-01-01T00:00:00Z");
  private long nanos = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();

  @BeforeEach
  void firstLook() {
    assertThat(look()).isFalse();
  }

  @Test
  void nothingExpiresBeforeOneFullLeaseAfterTheStart() {
    for (int second = 1; second < 6; second++) {
      assertThat(lookAfter(1)).as("after %s s", second).isFalse();
    }
    assertThat(lookAfter(1)).isTrue();
  }

  @Test
  void afterAnOutageEveryNodeGetsAFullLeaseAgain() {
    settle();
    assertThat(lookAfter(600)).isFalse();
    for (int second = 1; second < 6; second++) {
      assertThat(lookAfter(1)).isFalse();
    }
    assertThat(lookAfter(1)).isTrue();
  }

  @Test
  void aStepOfTheDatabaseClockExpiresNothingByItself() {
    settle();
    database = database.plus(Duration.ofHours(1));
    assertThat(lookAfter(1)).isFalse();
    settle();
    database = database.minus(Duration.ofHours(2));
    assertThat(lookAfter(1)).isFalse();
  }

  private void settle() {
    for (int second = 0; second < 7; second++) {
      lookAfter(1);
    }
    assertThat(lookAfter(1)).isTrue();
  }

  private boolean lookAfter(int seconds) {
    database = database.plusSeconds(seconds);
    nanos += Duration.ofSeconds(seconds).toNanos();
    return look();
  }

  private boolean look() {
    return guard.mayExpire(database, nanos);
  }
}

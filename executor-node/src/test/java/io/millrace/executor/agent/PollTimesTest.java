package io.millrace.executor.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PollTimesTest {
  private static final Duration LEASE = Duration.ofMillis(5_750);
  private static final Duration HEARTBEAT = Duration.ofSeconds(2);
  private static final Duration[] PAUSES = {Duration.ofMillis(100), Duration.ofMillis(200)};

  @ParameterizedTest
  @CsvSource({"2, false", "3, false", "2, true", "3, true"})
  void oneCentralManagerHearsOfTheNodeWithinItsLeaseThoughNoOtherAnswers(
      int servers, boolean exclusive) {
    PollTimes calm = new PollTimes(LEASE, servers, 0, exclusive);
    Duration timeout = calm.timeout(HEARTBEAT);
    // The poll that was heard last waited for news; the next one was never heard.
    Duration silent = timeout.plus(calm.limit(timeout)).plus(PAUSES[0]);
    for (int unanswered = 1; unanswered < servers - 1; unanswered++) {
      PollTimes turned = new PollTimes(LEASE, servers, unanswered, exclusive);
      Duration wait = turned.timeout(HEARTBEAT);
      silent = silent.plus(turned.limit(wait)).plus(PAUSES[unanswered]);
    }
    assertThat(silent).isLessThan(LEASE.minusMillis(250));
  }

  @ParameterizedTest
  @CsvSource({"2", "3"})
  void theOneThatServesIsFoundWithinALeaseOfTheEndOfAnOutage(int servers) {
    Duration longest = Duration.ofSeconds(2);
    // A call to a frozen one had just begun, and all others but the last are frozen, too.
    Duration silent = Duration.ZERO;
    for (int unanswered = 30; unanswered < 30 + servers - 1; unanswered++) {
      PollTimes times = new PollTimes(LEASE, servers, unanswered, false);
      silent = silent.plus(times.limit(times.timeout(HEARTBEAT))).plus(times.pause(longest));
    }
    assertThat(silent).isLessThan(LEASE.minusMillis(250));
  }

  @Test
  void managersThatAreAllSlowAreGivenTheUsualTimeAgain() {
    PollTimes calm = new PollTimes(LEASE, 3, 0, false);
    assertThat(new PollTimes(LEASE, 3, 2, false).timeout(HEARTBEAT)).isZero();
    assertThat(new PollTimes(LEASE, 3, 3, false).timeout(HEARTBEAT))
        .isEqualTo(calm.timeout(HEARTBEAT));
    assertThat(new PollTimes(LEASE, 1, 1, false).timeout(HEARTBEAT))
        .isEqualTo(calm.timeout(HEARTBEAT));
  }

  @Test
  void aShorterUsualTimeHolds() {
    Duration usual = Duration.ofMillis(250);
    assertThat(new PollTimes(LEASE, 3, 0, false).timeout(usual)).isEqualTo(usual);
    assertThat(new PollTimes(null, 3, 0, true).timeout(HEARTBEAT)).isEqualTo(HEARTBEAT);
  }
}

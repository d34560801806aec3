package io.millrace.manager.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.manager.partition.MemberDao.MemberRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemberSilenceTest {
  private static final Duration TTL = Duration.ofSeconds(3);
  private static final Instant JOINED = Instant.parse("2030-01-01T00:00:00Z");

  private final MemberSilence silence = new MemberSilence(Duration.ofMillis(1_500), this::prove);
  private boolean refused;
  private boolean proved;
  private long nanos = Long.MAX_VALUE - Duration.ofSeconds(2).toNanos();
  private long term = 1;
  private long beats;
  private Instant heard = JOINED;
  private Instant left;

  @Test
  void aMemberSilentForItsTimeToLiveIsLost() {
    assertThat(lookAfter(0)).isEmpty();
    assertThat(lookAfter(1)).isEmpty();
    assertThat(lookAfter(1)).isEmpty();
    assertThat(lookAfter(1)).hasSize(1);
  }

  @Test
  void aHeartbeatRestartsTheSilence() {
    lookAfter(0);
    lookAfter(1);
    lookAfter(1);
    beats++;
    assertThat(lookAfter(1)).isEmpty();
    assertThat(lookAfter(1)).isEmpty();
    assertThat(lookAfter(1)).isEmpty();
    assertThat(lookAfter(1)).hasSize(1);
  }

  @Test
  void aNewIncarnationDoesNotInheritTheSilenceOfThePreviousOne() {
    lookAfter(0);
    lookAfter(1);
    lookAfter(1);
    term++;
    assertThat(lookAfter(1)).isEmpty();
  }

  @Test
  void aGapBetweenObservationsRestartsAllSilences() {
    lookAfter(0);
    lookAfter(1);
    assertThat(lookAfter(60)).isEmpty();
    assertThat(lookAfter(1)).isEmpty();
  }

  @Test
  void aRefusedWriteRestartsAllSilences() {
    lookAfter(0);
    lookAfter(1);
    lookAfter(1);
    refused = true;
    assertThatThrownBy(() -> lookAfter(0)).hasMessage("takes no writes");
    refused = false;
    assertThat(lookAfter(1)).isEmpty();
    assertThat(lookAfter(1)).isEmpty();
  }

  @Test
  void stepsOfTheDatabaseClockLoseNoMember() {
    lookAfter(0);
    heard = JOINED.minus(Duration.ofDays(1));
    assertThat(lookAfter(1)).isEmpty();
    heard = JOINED.plus(Duration.ofDays(1));
    assertThat(lookAfter(1)).isEmpty();
  }

  @Test
  void aMemberThatLeftIsNotLost() {
    left = JOINED;
    for (int second = 0; second < 5; second++) {
      assertThat(lookAfter(1)).isEmpty();
    }
  }

  private List<MemberRow> lookAfter(int seconds) {
    proved = false;
    nanos += Duration.ofSeconds(seconds).toNanos();
    MemberRow row = new MemberRow("g", "a", term, TTL, beats, JOINED, heard, left);
    return silence.check(() -> afterTheProof(List.of(row)), () -> afterTheProof(nanos));
  }

  private void prove() {
    if (refused) {
      throw new IllegalStateException("takes no writes");
    }
    proved = true;
  }

  private <T> T afterTheProof(T read) {
    assertThat(proved).as("writes were proved to get through before this was read").isTrue();
    return read;
  }
}

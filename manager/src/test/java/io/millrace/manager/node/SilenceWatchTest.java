package io.millrace.manager.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.NodeStatus;
import io.millrace.api.node.RequestNumber;
import io.millrace.manager.node.RequestedStatusDao.RequestedStatus;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SilenceWatchTest {
  private static final UUID ID = new UUID(1, 1);
  private static final Duration GAP = Duration.ofSeconds(3);

  private final SilenceWatch watch = new SilenceWatch(GAP, this::prove);
  private boolean refused;
  // Whether nothing was read since writes were proved to get through.
  private boolean proved;
  private Instant heard = Instant.parse("2030-01-01T00:00:00Z");
  private Instant database = heard;
  private long nanos = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();
  private RequestedStatus requested = RequestedStatus.NONE;

  @Test
  void silenceStartsAtTheFirstObservationOfTheLastHeartbeat() {
    assertThat(lookAfter(0)).isZero();
    assertThat(lookAfter(1)).hasSeconds(1);
    assertThat(lookAfter(2)).hasSeconds(3);
    heard = heard.plusSeconds(3);
    assertThat(lookAfter(1)).isZero();
    assertThat(lookAfter(1)).hasSeconds(1);
  }

  @Test
  void timeBeforeTheFirstObservationDoesNotCount() {
    heard = database.minusSeconds(3600);
    assertThat(lookAfter(0)).isZero();
  }

  @Test
  void anOutageRestartsEverySilence() {
    lookAfter(0);
    lookAfter(2);
    assertThat(lookAfter(4)).isZero();
    assertThat(lookAfter(1)).hasSeconds(1);
  }

  @Test
  void aRefusedWriteRestartsEverySilenceEvenIfTheNextOneSucceedsSoon() {
    lookAfter(0);
    assertThat(lookAfter(2)).hasSeconds(2);
    refused = true;
    assertThatThrownBy(() -> lookAfter(0)).hasMessage("takes no writes");
    refused = false;
    assertThat(lookAfter(1)).isZero();
    assertThat(lookAfter(1)).hasSeconds(1);
  }

  @Test
  void stepsOfTheDatabaseClockDoNotChangeSilences() {
    lookAfter(0);
    database = database.plusSeconds(3600);
    assertThat(lookAfter(1)).hasSeconds(1);
    database = database.minusSeconds(7200);
    assertThat(lookAfter(1)).hasSeconds(2);
  }

  @Test
  void theSilenceOfANodeInMaintenanceStartsAtTheEndOfMaintenance() {
    requested = new RequestedStatus(NodeStatus.MAINTENANCE, database.plusSeconds(4), "a new disk");
    for (int second = 0; second < 4; second++) {
      assertThat(lookAfter(1)).isZero();
    }
    assertThat(lookAfter(2)).hasSeconds(2);
  }

  private Duration lookAfter(int seconds) {
    proved = false;
    nanos += Duration.ofSeconds(seconds).toNanos();
    database = database.plusSeconds(seconds);
    NodeRow plain =
        NodeRow.heard(
            ID,
            "e1",
            NodeKind.EXECUTION,
            URI.create("http://127.0.0.1:1"),
            null,
            RequestNumber.NONE,
            heard,
            Duration.ofSeconds(6));
    return watch
        .observe(
            () -> afterTheProof(List.of(NodeRows.with(plain, requested))),
            () -> afterTheProof(database),
            () -> afterTheProof(nanos))
        .get(0)
        .length();
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

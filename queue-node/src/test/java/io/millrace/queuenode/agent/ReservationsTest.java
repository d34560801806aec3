package io.millrace.queuenode.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.api.NodeStatus;
import io.millrace.api.queue.NodeState;
import io.millrace.api.queue.QueueNodeReport;
import io.millrace.api.weight.MoveRequest.Reservation;
import io.millrace.api.weight.MoveRequest.Reservation.ReservationAnswer;
import io.millrace.platform.clock.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ReservationsTest {
  private final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));
  private QueueNodeReport self = Reports.report("q1", NodeState.NORMAL, 0.3, 2);
  private Optional<NodeStatus> standing = Optional.of(NodeStatus.ACTIVE);
  private final Reservations reservations =
      new Reservations(() -> self, () -> standing, () -> 0.66, clock);

  @Test
  void capacityIsReservedUpToTheLimitIncludingEarlierReservations() {
    // 0.3 + 0.5 / 2 = 0.55; the next 0.3 / 2 would make 0.70.
    assertThat(ask(0.5).granted()).isTrue();
    ReservationAnswer second = ask(0.3);
    assertThat(second.granted()).isFalse();
    assertThat(second.reason())
        .isEqualTo("q1 is at 0.30 with 0.25 reserved; 0.15 more would bring it above 0.66");
    assertThat(ask(0.2).granted()).isTrue();
    assertThat(reservations.load()).isEqualTo(0.7, within(1e-9));
  }

  @Test
  void capacityIsReleasedWhenAReservationExpires() {
    assertThat(ask(0.7).granted()).isTrue();
    assertThat(ask(0.7).granted()).isFalse();
    clock.advance(Duration.ofSeconds(10));
    assertThat(reservations.load()).isZero();
    assertThat(ask(0.7).granted()).isTrue();
  }

  @Test
  void reservationsAreBoundedInNumberAlsoThoseOfNoLoad() {
    for (int i = 0; i < Reservations.MAX_KEPT; i++) {
      assertThat(ask(0).granted()).isTrue();
    }
    assertThat(ask(0).reason()).isEqualTo("q1 has granted 1000 reservations");
    clock.advance(Duration.ofSeconds(10));
    assertThat(ask(0).granted()).isTrue();
  }

  @Test
  void aRepeatedReservationCountsOnce() {
    Reservation asked = reservation(0.7);
    assertThat(reservations.reserve(asked).granted()).isTrue();
    assertThat(reservations.reserve(asked).granted()).isTrue();
    assertThat(reservations.load()).isEqualTo(0.7, within(1e-9));
  }

  @Test
  void aBusyNodeMayNotReceiveMovedWork() {
    self = Reports.report("q1", NodeState.BUSY, 0.45, 2);
    assertThat(ask(0).reason()).startsWith("q1 is BUSY: store says so");
    self = Reports.report("q1", NodeState.IDLE, 0.45, 2);
    assertThat(ask(0).granted()).isTrue();
  }

  @Test
  void aNodeThatOperatorsKeepOutOfUseRefuses() {
    for (NodeStatus away : new NodeStatus[] {NodeStatus.DRAINING, NodeStatus.MAINTENANCE}) {
      standing = Optional.of(away);
      assertThat(ask(0.1).reason()).isEqualTo("q1 is " + away);
    }
    standing = Optional.empty();
    assertThat(ask(0.1).reason()).isEqualTo("q1 is not registered yet");
  }

  private ReservationAnswer ask(double load) {
    return reservations.reserve(reservation(load));
  }

  private static Reservation reservation(double load) {
    return new Reservation(UUID.randomUUID(), "q2", "alert", 50, load, Duration.ofSeconds(10));
  }
}

package io.millrace.queuenode.agent;

import io.millrace.api.weight.BalancingKind;
import io.millrace.api.weight.Reservation;
import io.millrace.api.weight.ReservationAnswer;
import io.millrace.api.weight.WeightMove;
import io.millrace.queuenode.balancing.BalancingDecision;
import io.millrace.queuenode.balancing.PlannedMove;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** Reserves room for all moves of a decision, at each of its receivers. */
final class RoomReservation {
  /** Long enough for the load to show in the receiver's own figures. */
  private static final Duration KEPT_FOR = Duration.ofSeconds(10);

  private final String node;
  private final ReservationClient receivers;

  RoomReservation(String node, ReservationClient receivers) {
    this.node = node;
    this.receivers = receivers;
  }

  /**
   * Asks one receiver after the other; gives the first refusal, or nothing when all keep room. Room
   * that was kept before a refusal is free again after seconds. What operators drain goes in any
   * case: then the receivers are told, not asked. Blocks.
   */
  Optional<String> reserve(Situation now, BalancingDecision decision, UUID request) {
    for (PlannedMove planned : decision.moves()) {
      WeightMove move = planned.move();
      Reservation asked =
          new Reservation(
              part(request, move), node, move.queue(), move.points(), planned.load(), KEPT_FOR);
      ReservationAnswer answer = receivers.reserve(now.node(move.to()), asked);
      if (!answer.granted() && decision.kind() != BalancingKind.DRAIN) {
        return Optional.of(answer.reason());
      }
    }
    return Optional.empty();
  }

  /** The same id for the same part of the same request, so that asking twice keeps room once. */
  private static UUID part(UUID request, WeightMove move) {
    String name = request + "/" + move.queue() + "/" + move.to();
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
  }
}

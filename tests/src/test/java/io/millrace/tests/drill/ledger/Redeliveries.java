package io.millrace.tests.drill.ledger;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Explains the deliveries of one event after its first. Pure. */
final class Redeliveries {
  private final List<Crash> crashes;
  private final boolean outcomeDoubtful;

  /** The flag is true if a try of sending the event had an unknown outcome. */
  Redeliveries(List<Crash> crashes, boolean outcomeDoubtful) {
    this.crashes = crashes;
    this.outcomeDoubtful = outcomeDoubtful;
  }

  record Repetition(Delivery delivery, RedeliveryCause cause) {}

  List<Repetition> of(List<Delivery> all) {
    List<Delivery> ordered =
        all.stream().sorted(Comparator.comparingLong(Delivery::received)).toList();
    List<Repetition> repetitions = new ArrayList<>();
    for (int index = 1; index < ordered.size(); index++) {
      Delivery delivery = ordered.get(index);
      repetitions.add(new Repetition(delivery, cause(ordered.subList(0, index), delivery)));
    }
    return repetitions;
  }

  /** Each node holds its own copy; leases apply only within a node. */
  private RedeliveryCause cause(List<Delivery> earlier, Delivery delivery) {
    List<Delivery> here =
        earlier.stream().filter(one -> one.node().equals(delivery.node())).toList();
    if (here.isEmpty()) {
      return outcomeDoubtful
          ? RedeliveryCause.REPEATED_BY_PRODUCER
          : RedeliveryCause.REPEATED_BY_BALANCER;
    }
    if (here.stream().anyMatch(one -> heldAtOnce(one, delivery))) {
      return RedeliveryCause.LEASE_BROKEN;
    }
    return after(here.get(here.size() - 1), delivery);
  }

  /**
   * Whether the two leases certainly overlapped. Each began before it was received and was
   * certainly held until a known time; there is no violation if one may have ended before the other
   * began.
   */
  private static boolean heldAtOnce(Delivery one, Delivery other) {
    return other.received() < one.certainlyHeldUntil()
        && one.received() < other.certainlyHeldUntil();
  }

  private RedeliveryCause after(Delivery last, Delivery delivery) {
    return switch (last.ending()) {
      case NONE, TOO_LATE -> RedeliveryCause.LEASE_EXPIRED;
      case GIVEN_BACK -> RedeliveryCause.GIVEN_BACK;
      case ACKNOWLEDGED_PERHAPS -> RedeliveryCause.ACKNOWLEDGEMENT_UNKNOWN;
      case ACKNOWLEDGED ->
          killedBetween(last.endAsked(), delivery)
              ? RedeliveryCause.ACKNOWLEDGEMENT_LOST
              : RedeliveryCause.UNEXPLAINED;
    };
  }

  private boolean killedBetween(long acknowledged, Delivery delivery) {
    return crashes.stream()
        .anyMatch(
            crash ->
                crash.node().equals(delivery.node())
                    && crash.at() >= acknowledged
                    && crash.at() <= delivery.received());
  }
}

package io.millrace.tests.drill.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checker must find every violation, or a drill without violations proves nothing. */
class LedgerCheckerTest {
  private static final long LEASE = 100;

  private final DrillLedger ledger = new DrillLedger();

  @Test
  void anEventProcessedOnceIsAccepted() {
    sent("a", BatchOutcome.STORED, false);
    end(delivered("q1", "a", 10), 20, DeliveryEnd.ACKNOWLEDGED);
    assertThat(LedgerChecker.of(ledger))
        .isEqualTo(
            new LedgerReport(
                1, 1, 1, 1, 0, List.of(), List.of(), List.of(), List.of(), Map.of(), List.of(), 0,
                List.of()));
  }

  @Test
  void anEventInTheDeadLettersIsNotLost() {
    sent("a", BatchOutcome.STORED, false);
    end(delivered("q1", "a", 10), 20, DeliveryEnd.GIVEN_BACK);
    assertThat(LedgerChecker.of(ledger).lost()).containsExactly("a");
    ledger.dead("q1", "a");
    assertThat(LedgerChecker.of(ledger).lost()).isEmpty();
    assertThat(LedgerChecker.of(ledger).dead()).isEqualTo(1);
    assertThat(LedgerChecker.of(ledger).twice()).isEmpty();
  }

  @Test
  void anAcknowledgedEventMustNotAlsoBeADeadLetter() {
    sent("a", BatchOutcome.STORED, false);
    end(delivered("q1", "a", 10), 20, DeliveryEnd.ACKNOWLEDGED);
    ledger.dead("q2", "a");
    assertThat(LedgerChecker.of(ledger).twice()).isEmpty();
    ledger.dead("q1", "a");
    assertThat(LedgerChecker.of(ledger).twice()).containsExactly("a");
    ledger.crashed("q1", 30);
    assertThat(LedgerChecker.of(ledger).twice()).isEmpty();
  }

  @Test
  void aCopyIsAcknowledgedAtMostOnce() {
    sent("a", BatchOutcome.STORED, false);
    end(delivered("q1", "a", 10), 130, DeliveryEnd.ACKNOWLEDGED);
    end(delivered("q2", "a", 120), 140, DeliveryEnd.ACKNOWLEDGED);
    assertThat(LedgerChecker.of(ledger).twice()).isEmpty();
    end(delivered("q1", "a", 120), 140, DeliveryEnd.ACKNOWLEDGED);
    assertThat(LedgerChecker.of(ledger).twice()).containsExactly("a");
    ledger.crashed("q1", 135);
    assertThat(LedgerChecker.of(ledger).twice()).isEmpty();
  }

  @Test
  void anAcknowledgedEventThatWasNeverDeliveredIsLost() {
    sent("a", BatchOutcome.STORED, false);
    sent("b", BatchOutcome.UNKNOWN, true);
    sent("c", BatchOutcome.REFUSED, false);
    assertThat(LedgerChecker.of(ledger).lost()).containsExactly("a");
  }

  @Test
  void anEventThatWasDeliveredButNeverAcknowledgedIsLost() {
    sent("a", BatchOutcome.STORED, false);
    delivered("q1", "a", 10);
    sent("b", BatchOutcome.STORED, false);
    end(delivered("q1", "b", 10), 200, DeliveryEnd.TOO_LATE);
    assertThat(LedgerChecker.of(ledger).lost()).containsExactly("a", "b");
  }

  @Test
  void anEventThatWasNeverSentIsUnexpected() {
    delivered("q1", "a", 10);
    assertThat(LedgerChecker.of(ledger).unexpected()).containsExactly("a");
  }

  @Test
  void anEventFromAnotherQueueIsUnexpected() {
    ledger.sent(new SentBatch("other", List.of("a"), 0, BatchOutcome.STORED, false), 0);
    delivered("q1", "a", 10);
    assertThat(LedgerChecker.of(ledger).unexpected()).containsExactly("a");
  }

  @Test
  void aDeliveredRefusedEventIsReported() {
    sent("a", BatchOutcome.REFUSED, false);
    delivered("q1", "a", 10);
    assertThat(LedgerChecker.of(ledger).refusedButDelivered()).containsExactly("a");
  }

  @Test
  void aDelayedEventMustNotBeDeliveredEarly() {
    ledger.sent(new SentBatch("orders", List.of("a", "b"), 50, BatchOutcome.STORED, false), 0);
    delivered("q1", "a", 49);
    delivered("q1", "b", 50);
    assertThat(LedgerChecker.of(ledger).early()).containsExactly("a");
  }

  @Test
  void anEventOfUnknownOutcomeMayBeDelivered() {
    sent("a", BatchOutcome.UNKNOWN, true);
    end(delivered("q1", "a", 10), 20, DeliveryEnd.ACKNOWLEDGED);
    assertThat(LedgerChecker.of(ledger).recovered()).isEqualTo(1);
  }

  @Test
  void aSecondDeliveryDuringTheLeaseOfTheFirstIsReported() {
    sent("a", BatchOutcome.STORED, false);
    delivered("q1", "a", 10);
    delivered("q1", "a", 60);
    assertThat(LedgerChecker.of(ledger).repeated())
        .containsOnly(Map.entry(RedeliveryCause.LEASE_BROKEN, 1L));
    assertThat(LedgerChecker.of(ledger).broken()).hasSize(1);
  }

  @Test
  void anExtendedLeaseCountsUntilItsNewEnd() {
    sent("a", BatchOutcome.STORED, false);
    delivered("q1", "a", 10).extended(80, LEASE);
    delivered("q1", "a", 150);
    assertThat(LedgerChecker.of(ledger).repeated())
        .containsOnly(Map.entry(RedeliveryCause.LEASE_BROKEN, 1L));
  }

  @Test
  void aSecondDeliveryAfterTheLeaseIsAccepted() {
    sent("a", BatchOutcome.STORED, false);
    delivered("q1", "a", 10);
    delivered("q1", "a", 150);
    assertThat(LedgerChecker.of(ledger).repeated())
        .containsOnly(Map.entry(RedeliveryCause.LEASE_EXPIRED, 1L));
    assertThat(LedgerChecker.of(ledger).broken()).isEmpty();
  }

  @Test
  void aReturnedEventMayBeRedeliveredImmediately() {
    sent("a", BatchOutcome.STORED, false);
    end(delivered("q1", "a", 10), 20, DeliveryEnd.GIVEN_BACK);
    delivered("q1", "a", 30);
    assertThat(LedgerChecker.of(ledger).repeated())
        .containsOnly(Map.entry(RedeliveryCause.GIVEN_BACK, 1L));
  }

  @Test
  void onlyAKilledNodeMayLoseAConfirmedAcknowledgement() {
    sent("a", BatchOutcome.STORED, false);
    end(delivered("q1", "a", 10), 20, DeliveryEnd.ACKNOWLEDGED);
    delivered("q1", "a", 200);
    assertThat(LedgerChecker.of(ledger).repeated())
        .containsOnly(Map.entry(RedeliveryCause.UNEXPLAINED, 1L));
    ledger.crashed("q2", 100);
    assertThat(LedgerChecker.of(ledger).repeated())
        .containsOnly(Map.entry(RedeliveryCause.UNEXPLAINED, 1L));
    ledger.crashed("q1", 100);
    assertThat(LedgerChecker.of(ledger).repeated())
        .containsOnly(Map.entry(RedeliveryCause.ACKNOWLEDGEMENT_LOST, 1L));
  }

  @Test
  void anUnansweredAcknowledgementMayHaveBeenLost() {
    sent("a", BatchOutcome.STORED, false);
    end(delivered("q1", "a", 10), 20, DeliveryEnd.ACKNOWLEDGED_PERHAPS);
    delivered("q1", "a", 200);
    assertThat(LedgerChecker.of(ledger).repeated())
        .containsOnly(Map.entry(RedeliveryCause.ACKNOWLEDGEMENT_UNKNOWN, 1L));
  }

  @Test
  void copiesOnTwoNodesAreExplainedByARepeatedBatch() {
    sent("a", BatchOutcome.STORED, true);
    delivered("q1", "a", 10);
    delivered("q2", "a", 20);
    sent("b", BatchOutcome.STORED, false);
    delivered("q1", "b", 10);
    delivered("q3", "b", 20);
    assertThat(LedgerChecker.of(ledger).repeated())
        .containsOnly(
            Map.entry(RedeliveryCause.REPEATED_BY_PRODUCER, 1L),
            Map.entry(RedeliveryCause.REPEATED_BY_BALANCER, 1L));
    assertThat(LedgerChecker.of(ledger).broken()).isEmpty();
  }

  private void sent(String id, BatchOutcome outcome, boolean outcomeDoubtful) {
    ledger.sent(new SentBatch("orders", List.of(id), 0, outcome, outcomeDoubtful), 0);
  }

  /** A lease that was requested five units before it was received. */
  private Delivery delivered(String node, String id, long received) {
    Delivery delivery = new Delivery("orders", node, id, received - 5, received, LEASE);
    ledger.delivered(List.of(delivery));
    return delivery;
  }

  private static void end(Delivery delivery, long asked, DeliveryEnd how) {
    delivery.ending(asked);
    delivery.ended(how);
  }
}

package io.millrace.tests.drill.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The judge must find every fault that a drill looks for, or a clean drill proves nothing. */
class JudgeTest {
  private static final long LEASE = 100;

  private final Ledger ledger = new Ledger();

  @Test
  void anEventWorkedOnOnceIsNothingToSpeakOf() {
    sent("a", Outcome.STORED, false);
    end(delivered("q1", "a", 10), 20, Ending.ACKNOWLEDGED);
    assertThat(Judge.of(ledger))
        .isEqualTo(
            new Verdict(
                1, 1, 1, 1, 0, List.of(), List.of(), List.of(), List.of(), Map.of(), List.of(), 0,
                List.of()));
  }

  @Test
  void anEventInTheDeadLettersIsNotLost() {
    sent("a", Outcome.STORED, false);
    end(delivered("q1", "a", 10), 20, Ending.GIVEN_BACK);
    assertThat(Judge.of(ledger).lost()).containsExactly("a");
    ledger.dead("q1", "a");
    assertThat(Judge.of(ledger).lost()).isEmpty();
    assertThat(Judge.of(ledger).dead()).isEqualTo(1);
    assertThat(Judge.of(ledger).twice()).isEmpty();
  }

  @Test
  void anAcknowledgedEventMustNotDieToo() {
    sent("a", Outcome.STORED, false);
    end(delivered("q1", "a", 10), 20, Ending.ACKNOWLEDGED);
    ledger.dead("q2", "a");
    assertThat(Judge.of(ledger).twice()).isEmpty();
    ledger.dead("q1", "a");
    assertThat(Judge.of(ledger).twice()).containsExactly("a");
    ledger.crashed("q1", 30);
    assertThat(Judge.of(ledger).twice()).isEmpty();
  }

  @Test
  void aCopyIsAcknowledgedOnce() {
    sent("a", Outcome.STORED, false);
    end(delivered("q1", "a", 10), 130, Ending.ACKNOWLEDGED);
    end(delivered("q2", "a", 120), 140, Ending.ACKNOWLEDGED);
    assertThat(Judge.of(ledger).twice()).isEmpty();
    end(delivered("q1", "a", 120), 140, Ending.ACKNOWLEDGED);
    assertThat(Judge.of(ledger).twice()).containsExactly("a");
    ledger.crashed("q1", 135);
    assertThat(Judge.of(ledger).twice()).isEmpty();
  }

  @Test
  void anAcknowledgedEventThatNobodyGotIsLost() {
    sent("a", Outcome.STORED, false);
    sent("b", Outcome.UNKNOWN, true);
    sent("c", Outcome.REFUSED, false);
    assertThat(Judge.of(ledger).lost()).containsExactly("a");
  }

  @Test
  void anEventThatWasDeliveredAndNeverSettledIsLostToo() {
    sent("a", Outcome.STORED, false);
    delivered("q1", "a", 10);
    sent("b", Outcome.STORED, false);
    end(delivered("q1", "b", 10), 200, Ending.TOO_LATE);
    assertThat(Judge.of(ledger).lost()).containsExactly("a", "b");
  }

  @Test
  void anEventThatNobodySentIsUnexpected() {
    delivered("q1", "a", 10);
    assertThat(Judge.of(ledger).unexpected()).containsExactly("a");
  }

  @Test
  void anEventFromAnotherQueueIsUnexpected() {
    ledger.sent(new SentBatch("other", List.of("a"), 0, Outcome.STORED, false), 0);
    delivered("q1", "a", 10);
    assertThat(Judge.of(ledger).unexpected()).containsExactly("a");
  }

  @Test
  void aRefusedEventThatIsDeliveredIsTold() {
    sent("a", Outcome.REFUSED, false);
    delivered("q1", "a", 10);
    assertThat(Judge.of(ledger).refusedButDelivered()).containsExactly("a");
  }

  @Test
  void aDelayedEventMustNotComeBeforeItsTime() {
    ledger.sent(new SentBatch("orders", List.of("a", "b"), 50, Outcome.STORED, false), 0);
    delivered("q1", "a", 49);
    delivered("q1", "b", 50);
    assertThat(Judge.of(ledger).early()).containsExactly("a");
  }

  @Test
  void anEventOfUnknownOutcomeMayBeDelivered() {
    sent("a", Outcome.UNKNOWN, true);
    end(delivered("q1", "a", 10), 20, Ending.ACKNOWLEDGED);
    assertThat(Judge.of(ledger).recovered()).isEqualTo(1);
  }

  @Test
  void aSecondDeliveryWhileTheFirstIsCertainlyHeldBreaksTheLease() {
    sent("a", Outcome.STORED, false);
    delivered("q1", "a", 10);
    delivered("q1", "a", 60);
    assertThat(Judge.of(ledger).repeated()).containsOnly(Map.entry(Cause.LEASE_BROKEN, 1L));
    assertThat(Judge.of(ledger).broken()).hasSize(1);
  }

  @Test
  void anExtendedLeaseBindsForLonger() {
    sent("a", Outcome.STORED, false);
    delivered("q1", "a", 10).extended(80, LEASE);
    delivered("q1", "a", 150);
    assertThat(Judge.of(ledger).repeated()).containsOnly(Map.entry(Cause.LEASE_BROKEN, 1L));
  }

  @Test
  void afterTheLeaseTheNextDeliveryIsInOrder() {
    sent("a", Outcome.STORED, false);
    delivered("q1", "a", 10);
    delivered("q1", "a", 150);
    assertThat(Judge.of(ledger).repeated()).containsOnly(Map.entry(Cause.LEASE_EXPIRED, 1L));
    assertThat(Judge.of(ledger).broken()).isEmpty();
  }

  @Test
  void aGivenBackEventMayComeAgainAtOnce() {
    sent("a", Outcome.STORED, false);
    end(delivered("q1", "a", 10), 20, Ending.GIVEN_BACK);
    delivered("q1", "a", 30);
    assertThat(Judge.of(ledger).repeated()).containsOnly(Map.entry(Cause.GIVEN_BACK, 1L));
  }

  @Test
  void aConfirmedAcknowledgementMayOnlyBeForgottenByAKilledNode() {
    sent("a", Outcome.STORED, false);
    end(delivered("q1", "a", 10), 20, Ending.ACKNOWLEDGED);
    delivered("q1", "a", 200);
    assertThat(Judge.of(ledger).repeated()).containsOnly(Map.entry(Cause.UNEXPLAINED, 1L));
    ledger.crashed("q2", 100);
    assertThat(Judge.of(ledger).repeated()).containsOnly(Map.entry(Cause.UNEXPLAINED, 1L));
    ledger.crashed("q1", 100);
    assertThat(Judge.of(ledger).repeated()).containsOnly(Map.entry(Cause.ACKNOWLEDGEMENT_LOST, 1L));
  }

  @Test
  void anUnansweredAcknowledgementMayHaveBeenLost() {
    sent("a", Outcome.STORED, false);
    end(delivered("q1", "a", 10), 20, Ending.ACKNOWLEDGED_PERHAPS);
    delivered("q1", "a", 200);
    assertThat(Judge.of(ledger).repeated())
        .containsOnly(Map.entry(Cause.ACKNOWLEDGEMENT_UNKNOWN, 1L));
  }

  @Test
  void copiesOnTwoNodesComeFromARepeatedBatch() {
    sent("a", Outcome.STORED, true);
    delivered("q1", "a", 10);
    delivered("q2", "a", 20);
    sent("b", Outcome.STORED, false);
    delivered("q1", "b", 10);
    delivered("q3", "b", 20);
    assertThat(Judge.of(ledger).repeated())
        .containsOnly(
            Map.entry(Cause.REPEATED_BY_PRODUCER, 1L), Map.entry(Cause.REPEATED_BY_BALANCER, 1L));
    assertThat(Judge.of(ledger).broken()).isEmpty();
  }

  private void sent(String id, Outcome outcome, boolean doubted) {
    ledger.sent(new SentBatch("orders", List.of(id), 0, outcome, doubted), 0);
  }

  /** A lease that was asked for five before it was received. */
  private Delivery delivered(String node, String id, long received) {
    Delivery delivery = new Delivery("orders", node, id, received - 5, received, LEASE);
    ledger.delivered(List.of(delivery));
    return delivery;
  }

  private static void end(Delivery delivery, long asked, Ending how) {
    delivery.ending(asked);
    delivery.ended(how);
  }
}

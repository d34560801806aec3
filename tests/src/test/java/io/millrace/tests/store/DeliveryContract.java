package io.millrace.tests.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.queue.SegmentFigures.DelayBuckets;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.PutOrder.BatchLookup;
import io.millrace.queuenode.store.PutOrder.PutOutcome;
import io.millrace.queuenode.store.Receipt;
import io.millrace.queuenode.store.SegmentStore.BatchFigures;
import io.millrace.queuenode.store.SegmentStore.DeadRecord;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.ReceiptOutcome;
import io.millrace.queuenode.store.SegmentStore.RefuseOrder;
import io.millrace.queuenode.store.SegmentTotals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Batches, leases, receipts, dead letters, figures, transactions and restarts. */
abstract class DeliveryContract extends RemovalContract {
  @Test
  void eventsAreLeasedOldestFirstAndRemovedOnceAcknowledged() {
    put("b1", 3);
    put("b2", 2);

    List<LeasedEvent> leased = lease(4);
    assertThat(ids(leased)).containsExactly("b1-0", "b1-1", "b1-2", "b2-0");
    assertThat(leased).allSatisfy(event -> assertThat(event.attempt()).isEqualTo(1));
    assertThat(ids(lease(4))).containsExactly("b2-1");
    assertThat(acknowledge(leased).done()).isEqualTo(4);

    assertThat(totals().leased()).isEqualTo(1);
    assertThat(totals().acknowledged()).isEqualTo(4);
    assertThat(totals().waiting()).isZero();
  }

  @Test
  void dataAndAttributesAreReturnedUnchanged() {
    NewEvent event = new NewEvent("own-id", bytes("{\"a\":1e400,\"é\":[1.10]}"), "{\"k\":\"v\"}");
    store.put(new PutOrder(QUEUE, "b", List.of(event), 100));
    store.commit();

    NewEvent delivered = lease(1).get(0).event();
    assertThat(delivered.id()).isEqualTo("own-id");
    assertThat(delivered.text()).isEqualTo("{\"a\":1e400,\"é\":[1.10]}");
    assertThat(delivered.attributes()).isEqualTo("{\"k\":\"v\"}");
  }

  @Test
  void queuesAreIndependent() {
    put("b1", 1);
    assertThat(store.lease(new LeaseOrder("other", 10, Long.MAX_VALUE, LEASE))).isEmpty();

    List<LeasedEvent> leased = lease(1);
    ReceiptOutcome wrongQueue = store.acknowledge("other", receipts(leased));
    assertThat(wrongQueue.stale()).hasSize(1);
    assertThat(acknowledge(leased).done()).isEqualTo(1);
  }

  @Test
  void aBatchSentTwiceIsStoredOnceForTenMinutes() {
    assertThat(put("b1", 3)).isEqualTo(new PutOutcome(3, false));
    assertThat(put("b1", 3)).isEqualTo(new PutOutcome(3, true));
    reopen();
    assertThat(put("b1", 3)).isEqualTo(new PutOutcome(3, true));
    assertThat(totals().inserted()).isEqualTo(3);

    clock.advance(Duration.ofMinutes(9));
    expire();
    assertThat(put("b1", 3).repeated()).isTrue();
    clock.advance(Duration.ofMinutes(1));
    assertThat(store.due(RULES)).isTrue();
    expire();
    assertThat(put("b1", 3).repeated()).isFalse();
  }

  @Test
  void beyondTheLimitTheOldestBatchNamesAreForgottenAndCounted() {
    for (int i = 0; i < REMEMBERED + 5; i++) {
      put("b" + i, 1);
    }
    assertThat(store.batches()).isEqualTo(new BatchFigures(REMEMBERED, REMEMBERED, 5));
    reopen();
    assertThat(store.batches().remembered()).isEqualTo(REMEMBERED);
    assertThat(put("b5", 1).repeated()).isTrue();
    assertThat(put("b4", 1).repeated()).isFalse();
    assertThat(put("b5", 1).repeated()).as("forgotten for it").isFalse();
  }

  @Test
  void aBusyQueueDoesNotEvictBatchNamesOfAnother() {
    put("order-1", 1);
    for (int i = 0; i < 3 * REMEMBERED; i++) {
      put(new PutOrder("noise", "n" + i, events("n" + i, 1), 100));
    }
    assertThat(put("order-1", 1).repeated()).isTrue();
    reopen();
    assertThat(put("order-1", 1).repeated()).as("after a reopening").isTrue();
    assertThat(store.stored(new BatchLookup("noise", "n" + REMEMBERED, 1))).isEmpty();
    assertThat(store.batches().remembered()).isEqualTo(REMEMBERED);
  }

  @Test
  void aBatchNameCanBeLookedUpWithoutAPut() {
    BatchLookup lookup = new BatchLookup(QUEUE, "b1", 1);
    assertThat(store.stored(lookup)).isEmpty();
    put("b1", 1);
    assertThat(store.stored(lookup)).contains(new PutOutcome(1, true));
    assertThat(totals().inserted()).isEqualTo(1);
  }

  @Test
  void aWallClockStepForgetsNoBatchAndEndsNoLease() {
    put("b1", 1);
    List<LeasedEvent> leased = lease(1);
    clock.stepWall(Duration.ofDays(2));
    assertThat(store.due(RULES)).isFalse();
    expire();
    assertThat(put("b1", 1).repeated()).isTrue();
    assertThat(acknowledge(leased).done()).isEqualTo(1);
  }

  @Test
  void aDifferentBatchUnderAKnownNameIsRefused() {
    put("b1", 3);
    for (int other : new int[] {2, 4}) {
      assertThatThrownBy(() -> put("b1", other))
          .isInstanceOfSatisfying(
              MillraceException.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT));
    }
  }

  @Test
  void aSegmentStoresAtMostMaxEvents() {
    put("b1", 60);
    assertThatThrownBy(() -> put("b2", 41))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.QUEUE_FULL));
    assertThat(put("b3", 40).accepted()).isEqualTo(40);

    acknowledge(lease(50));
    assertThat(put("b4", 50).accepted()).isEqualTo(50);
  }

  @Test
  void aLeaseStaysBelowItsByteLimitButHasAtLeastOneEvent() {
    put("b1", 3);
    LeaseOrder tiny = new LeaseOrder(QUEUE, 10, 1, LEASE);
    assertThat(ids(store.lease(tiny))).containsExactly("b1-0");
  }

  @Test
  void aReceiptIsStaleOnceItsLeaseHasEnded() {
    put("b1", 1);
    List<LeasedEvent> first = lease(1);
    clock.advance(LEASE);
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 1));

    assertThat(acknowledge(first).stale()).isEqualTo(receipts(first));
    List<LeasedEvent> second = lease(1);
    assertThat(second).hasSize(1);
    assertThat(acknowledge(first).stale()).isEqualTo(receipts(first));
    assertThat(totals().leased()).isEqualTo(1);
    assertThat(acknowledge(second).done()).isEqualTo(1);
    assertThat(acknowledge(second).stale()).isEqualTo(receipts(second));
    assertThat(totals().returned()).isEqualTo(1);
    assertThat(totals().delivered()).isEqualTo(2);
  }

  @Test
  void aReceiptGivenTwiceInOneRequestCountsOnce() {
    put("b1", 1);
    List<Receipt> receipts = new ArrayList<>(receipts(lease(1)));
    receipts.addAll(List.copyOf(receipts));
    assertThat(store.acknowledge(QUEUE, receipts).done()).isEqualTo(1);
    store.commit();
    assertThat(totals().leased()).isZero();
  }

  @Test
  void anExtendedLeaseEndsLater() {
    put("b1", 1);
    List<LeasedEvent> leased = lease(1);
    clock.advance(LEASE.minusSeconds(1));
    ReceiptOutcome extended = store.extend(QUEUE, receipts(leased), Duration.ofSeconds(20));
    store.commit();
    assertThat(extended.done()).isEqualTo(1);

    clock.advance(Duration.ofSeconds(19));
    assertThat(expire()).isEmpty();
    clock.advance(Duration.ofSeconds(1));
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 1));
  }

  @Test
  void theEventsOfAFailedBatchAreRedeliveredSinglyWithoutChargingAFailure() {
    put("b1", 3);
    put("b2", 2);
    refuse(lease(3), RefusalKind.FAILED);

    for (int i = 0; i < 3; i++) {
      List<LeasedEvent> alone = lease(10);
      assertThat(ids(alone)).containsExactly("b1-" + i);
      assertThat(alone.get(0).attempt()).isEqualTo(1);
      acknowledge(alone);
    }
    assertThat(ids(lease(10))).containsExactly("b2-0", "b2-1");
    assertThat(totals().failed()).isEqualTo(3);
  }

  @Test
  void aBatchSkipsAnEventThatMustBeDeliveredSingly() {
    put("b1", 3);
    List<LeasedEvent> leased = lease(2);
    refuse(leased.subList(1, 2), RefusalKind.FAILED);
    refuse(leased.subList(0, 1), RefusalKind.RETURNED);

    assertThat(ids(lease(10))).containsExactly("b1-0", "b1-2");
    assertThat(ids(lease(10))).containsExactly("b1-1");
  }

  @Test
  void thePoisonEventOfABatchBecomesADeadLetterAloneAndTheOthersAreProcessed() {
    put("b1", 4);
    int runs = 0;
    for (List<LeasedEvent> run = lease(10); !run.isEmpty(); run = lease(10)) {
      runs++;
      if (ids(run).contains("b1-2")) {
        refuse(run, RefusalKind.FAILED);
      } else {
        acknowledge(run);
      }
    }
    // The batch, the three good events singly, and the poison event maxAttempts times.
    assertThat(runs).isEqualTo(1 + 3 + LIMITS.maxAttempts());
    assertThat(totals().acknowledged()).isEqualTo(3);
    DeadRecord dead = dead(10).get(0);
    assertThat(dead.event().id()).isEqualTo("b1-2");
    assertThat(dead.failures()).isEqualTo(3);
    assertThat(dead.reason()).isEqualTo("exit status 1");
    assertThat(dead.diedAt()).isEqualTo(clock.now());
    assertThat(totals().dead()).isEqualTo(1);
    assertThat(totals().unfinished()).isZero();
  }

  @Test
  void lostDeliveriesMakeAnEventADeadLetterOnlyAtTheirOwnLimit() {
    put("b1", 1);
    for (int lost = 1; lost < LIMITS.maxReturns(); lost++) {
      assertThat(refuse(lease(1), RefusalKind.RETURNED).dead()).isZero();
    }
    List<LeasedEvent> last = lease(1);
    assertThat(last.get(0).attempt()).isEqualTo(1);
    clock.advance(LEASE);
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 0));

    DeadRecord dead = dead(10).get(0);
    assertThat(dead.returns()).isEqualTo(4);
    assertThat(dead.failures()).isZero();
    assertThat(dead.reason()).contains("lease expired");
  }

  @Test
  void aDelayedEventIsNotLeasedEarly() {
    put("b1", 1);
    store.refuse(
        new RefuseOrder(
            QUEUE,
            receipts(lease(1)),
            RefusalKind.FAILED,
            Duration.ofSeconds(5),
            "try later",
            LIMITS));
    store.commit();

    assertThat(lease(1)).isEmpty();
    assertThat(totals().delayed()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(5));
    assertThat(store.due(RULES)).isTrue();
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 1));
    assertThat(lease(1).get(0).attempt()).isEqualTo(2);
    assertThat(totals().delayed()).isZero();
  }

  @Test
  void figuresShowSizeAgeAndDelays() {
    put("b1", 2);
    clock.advance(Duration.ofSeconds(3));
    put("b2", 1);
    assertThat(totals().oldestStoredAt()).isEqualTo(clock.now().minusSeconds(3).toEpochMilli());
    assertThat(totals().bytes()).isPositive();

    acknowledge(lease(3));
    assertThat(totals().oldestStoredAt()).isZero();
    assertThat(totals().bytes()).isZero();
    assertThat(totals().delays().get(DelayBuckets.of(3))).isEqualTo(2);
    assertThat(totals().delays().get(0)).isEqualTo(1);
  }

  @Test
  void aRolledBackTransactionHasNoEffect() {
    put("b1", 2);
    List<LeasedEvent> leased = lease(1);
    SegmentTotals before = totals();

    store.put(new PutOrder("new-queue", "b9", events("b9", 1), 100));
    store.acknowledge(QUEUE, receipts(leased));
    store.lease(new LeaseOrder(QUEUE, 5, Long.MAX_VALUE, LEASE));
    store.rollback();
    store.commit();

    assertThat(totals()).isEqualTo(before);
    assertThat(store.totals()).containsOnlyKeys(QUEUE);
    assertThat(ids(lease(5))).containsExactly("b1-1");
    assertThat(acknowledge(leased).done()).isEqualTo(1);
    assertThat(store.put(new PutOrder("new-queue", "b9", events("b9", 1), 100)).repeated())
        .isFalse();
  }

  @Test
  void aRolledBackExpiryIsDueAgain() {
    put("b1", 1);
    lease(1);
    clock.advance(LEASE);
    store.expire(RULES);
    store.rollback();
    assertThat(store.due(RULES)).isTrue();
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 1));
  }

  @Test
  void everyOpenIncrementsTheTermAndKeepsEventsFiguresAndDeadLetters() {
    long term = store.term();
    put("b1", 5);
    acknowledge(lease(1));
    clock.advance(Duration.ofSeconds(1));
    SegmentTotals before = totals();

    reopen();

    assertThat(store.term()).isEqualTo(term + 1);
    assertThat(totals()).isEqualTo(before);
    put("b2", 1);
    assertThat(ids(lease(10))).containsExactly("b1-1", "b1-2", "b1-3", "b1-4", "b2-0");
  }

  @Test
  void uncommittedChangesAreLostOnRestart() {
    put("b1", 1);
    store.put(new PutOrder(QUEUE, "b2", events("b2", 1), 100));
    reopen();
    assertThat(ids(lease(10))).containsExactly("b1-0");
  }

  @Test
  void aWorkerCanAcknowledgeAfterARestart() {
    put("b1", 2);
    List<LeasedEvent> leased = lease(2);
    clock.advance(LEASE.minusSeconds(1));

    reopen();
    clock.advance(LEASE.minusSeconds(1));
    assertThat(expire()).isEmpty();
    assertThat(acknowledge(leased.subList(0, 1)).done()).isEqualTo(1);

    clock.advance(Duration.ofSeconds(1));
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 1));
    assertThat(acknowledge(leased.subList(1, 2)).stale()).hasSize(1);
    LeasedEvent again = lease(2).get(0);
    assertThat(again.receipt().delivery()).isEqualTo(2);
    assertThat(again.receipt().term()).isEqualTo(store.term());
  }

  @Test
  void theAttemptCountsOfAnEventSurviveARestart() {
    put("b1", 2);
    refuse(lease(2), RefusalKind.FAILED);
    refuse(lease(1), RefusalKind.FAILED);
    reopen();
    List<LeasedEvent> leased = lease(5);
    assertThat(ids(leased)).containsExactly("b1-0");
    assertThat(leased.get(0).attempt()).isEqualTo(2);
  }
}

package io.millrace.queuenode.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.event.RefusalKind;
import io.millrace.api.problem.ErrorCode;
import io.millrace.api.problem.MillraceException;
import io.millrace.api.queue.DelayBuckets;
import io.millrace.platform.time.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every segment store keeps. A subclass names the store. */
public abstract class SegmentStoreContract {
  private static final String QUEUE = "alert";
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final DeliveryLimits LIMITS = new DeliveryLimits(3, 4);

  /** The clock that every opening of the store reads. */
  protected final ManualClock clock = new ManualClock(Instant.parse("2026-01-05T10:00:00Z"));

  private SegmentStore store;

  /** Opens the store under test; called again after a close it opens the same one. */
  protected abstract SegmentStore open();

  @BeforeEach
  void openStore() {
    store = open();
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  @Test
  void eventsAreLeasedOldestFirstAndGoneOnceAcknowledged() {
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
  void dataAndAttributesComeBackAsTheyWereGiven() {
    NewEvent event = new NewEvent("own-id", bytes("{\"a\":1e400,\"é\":[1.10]}"), "{\"k\":\"v\"}");
    store.put(new PutOrder(QUEUE, "b", List.of(event), 100));
    store.commit();

    NewEvent delivered = lease(1).get(0).event();
    assertThat(delivered.id()).isEqualTo("own-id");
    assertThat(delivered.text()).isEqualTo("{\"a\":1e400,\"é\":[1.10]}");
    assertThat(delivered.attributes()).isEqualTo("{\"k\":\"v\"}");
  }

  @Test
  void queuesDoNotSeeEachOther() {
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
    assertThat(store.due()).isTrue();
    expire();
    assertThat(put("b1", 3).repeated()).isFalse();
  }

  @Test
  void aStepOfTheWallClockForgetsNoBatchAndEndsNoLease() {
    put("b1", 1);
    List<LeasedEvent> leased = lease(1);
    clock.stepWall(Duration.ofDays(2));
    assertThat(store.due()).isFalse();
    expire();
    assertThat(put("b1", 1).repeated()).isTrue();
    assertThat(acknowledge(leased).done()).isEqualTo(1);
  }

  @Test
  void anotherBatchUnderAKnownNameIsRefused() {
    put("b1", 3);
    assertThatThrownBy(() -> put("b1", 4))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.CONFLICT));
  }

  @Test
  void aSegmentTakesNoMoreThanMaxEvents() {
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
  void aLeaseTakesNoMoreBytesThanAllowedButAtLeastOneEvent() {
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
  void aFailedBatchIsDeliveredSinglyWithoutBeingCharged() {
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
  void aBatchPassesOverAnEventThatMustBeDeliveredSingly() {
    put("b1", 3);
    List<LeasedEvent> leased = lease(2);
    refuse(leased.subList(1, 2), RefusalKind.FAILED);
    refuse(leased.subList(0, 1), RefusalKind.RETURNED);

    assertThat(ids(lease(10))).containsExactly("b1-0", "b1-2");
    assertThat(ids(lease(10))).containsExactly("b1-1");
  }

  @Test
  void thePoisonEventOfABatchStandsAloneAndDiesWhileTheOthersAreDone() {
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
    // The batch, the three good ones singly, and maxAttempts times the poison one.
    assertThat(runs).isEqualTo(1 + 3 + LIMITS.maxAttempts());
    assertThat(totals().acknowledged()).isEqualTo(3);
    DeadRecord dead = store.dead(QUEUE, 10).get(0);
    assertThat(dead.event().id()).isEqualTo("b1-2");
    assertThat(dead.failures()).isEqualTo(3);
    assertThat(dead.reason()).isEqualTo("exit status 1");
    assertThat(dead.diedAt()).isEqualTo(clock.now());
    assertThat(totals().dead()).isEqualTo(1);
    assertThat(totals().unfinished()).isZero();
  }

  @Test
  void deliveriesLostWithoutItsFaultEndAnEventOnlyAtTheirOwnLimit() {
    put("b1", 1);
    for (int lost = 1; lost < LIMITS.maxReturns(); lost++) {
      assertThat(refuse(lease(1), RefusalKind.RETURNED).dead()).isZero();
    }
    List<LeasedEvent> last = lease(1);
    assertThat(last.get(0).attempt()).isEqualTo(1);
    clock.advance(LEASE);
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 0));

    DeadRecord dead = store.dead(QUEUE, 10).get(0);
    assertThat(dead.returns()).isEqualTo(4);
    assertThat(dead.failures()).isZero();
    assertThat(dead.reason()).contains("lease ended");
  }

  @Test
  void aDelayedEventIsNotLeasedBeforeItsTime() {
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
    assertThat(store.due()).isTrue();
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
  void aRolledBackTransactionLeavesNoTrace() {
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
    store.expire(queue -> LIMITS);
    store.rollback();
    assertThat(store.due()).isTrue();
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 1));
  }

  @Test
  void everyOpeningRaisesTheTermAndKeepsEventsFiguresAndDeadLetters() {
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
  void uncommittedChangesAreNotThereAfterARestart() {
    put("b1", 1);
    store.put(new PutOrder(QUEUE, "b2", events("b2", 1), 100));
    reopen();
    assertThat(ids(lease(10))).containsExactly("b1-0");
  }

  @Test
  void aWorkerThatLivedThroughARestartCanAcknowledge() {
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
  void whatWasLearntOfAnEventSurvivesARestart() {
    put("b1", 2);
    refuse(lease(2), RefusalKind.FAILED);
    refuse(lease(1), RefusalKind.FAILED);
    reopen();
    List<LeasedEvent> leased = lease(5);
    assertThat(ids(leased)).containsExactly("b1-0");
    assertThat(leased.get(0).attempt()).isEqualTo(2);
  }

  private PutOutcome put(String batch, int count) {
    PutOutcome outcome = store.put(new PutOrder(QUEUE, batch, events(batch, count), 100));
    store.commit();
    return outcome;
  }

  private List<LeasedEvent> lease(int max) {
    List<LeasedEvent> leased = store.lease(new LeaseOrder(QUEUE, max, Long.MAX_VALUE, LEASE));
    store.commit();
    return leased;
  }

  private ReceiptOutcome acknowledge(List<LeasedEvent> leased) {
    ReceiptOutcome outcome = store.acknowledge(QUEUE, receipts(leased));
    store.commit();
    return outcome;
  }

  private ReceiptOutcome refuse(List<LeasedEvent> leased, RefusalKind kind) {
    ReceiptOutcome outcome =
        store.refuse(
            new RefuseOrder(QUEUE, receipts(leased), kind, Duration.ZERO, "exit status 1", LIMITS));
    store.commit();
    return outcome;
  }

  private Map<String, Integer> expire() {
    Map<String, Integer> ready = store.expire(queue -> LIMITS);
    store.commit();
    return ready;
  }

  private SegmentTotals totals() {
    return store.totals().get(QUEUE);
  }

  private void reopen() {
    store.close();
    store = open();
  }

  private static List<NewEvent> events(String batch, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new NewEvent(batch + "-" + i, bytes("{\"n\":" + i + "}"), null))
        .toList();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<Receipt> receipts(List<LeasedEvent> leased) {
    return leased.stream().map(LeasedEvent::receipt).toList();
  }

  private static List<String> ids(List<LeasedEvent> leased) {
    return leased.stream().map(event -> event.event().id()).toList();
  }
}

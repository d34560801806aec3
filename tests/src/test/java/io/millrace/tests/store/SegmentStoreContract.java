package io.millrace.tests.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.queuenode.store.EventState;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.PutOrder.PutLimits;
import io.millrace.queuenode.store.SegmentStore.DeadChoice;
import io.millrace.queuenode.store.SegmentStore.DeadRecord;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.PeekedRecord;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.SegmentStore.RefuseOrder;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep.SweepStep;
import io.millrace.queuenode.store.SegmentTotals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract of every segment store. A subclass provides the store. */
public abstract class SegmentStoreContract extends DeliveryContract {

  @Test
  void higherPrioritiesAreLeasedFirstAndOldestFirstWithinAPriority() {
    put(batch("b1", event("low-1", 0, 0), event("high-1", 9, 0), event("middle", 4, 0)));
    put(batch("b2", event("low-2", 0, 0), event("high-2", 9, 0)));

    assertThat(ids(lease(2))).containsExactly("high-1", "high-2");
    assertThat(ids(lease(10))).containsExactly("middle", "low-1", "low-2");
  }

  @Test
  void aReturnedEventKeepsItsPriorityAndPosition() {
    put(batch("b1", event("low", 0, 0), event("high-1", 9, 0), event("high-2", 9, 0)));
    refuse(lease(1), RefusalKind.RETURNED);
    reopen();
    List<LeasedEvent> again = lease(10);
    assertThat(ids(again)).containsExactly("high-1", "high-2", "low");
    assertThat(again).extracting(event -> event.event().priority()).containsExactly(9, 9, 0);
  }

  @Test
  void aLongBacklogOfSeveralPrioritiesIsLeasedInOrder() {
    List<NewEvent> events = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      events.add(event("e" + i, i % 3, 0));
    }
    put(new PutOrder(QUEUE, "b", events, 10_000));

    List<String> expected = new ArrayList<>();
    for (int priority = 2; priority >= 0; priority--) {
      for (int i = priority; i < 3_000; i += 3) {
        expected.add("e" + i);
      }
    }
    assertThat(ids(lease(10_000))).isEqualTo(expected);
  }

  @Test
  void anEventPutWithADelayIsLeasedAfterItInItsPosition() {
    put(batch("b1", event("later", 0, 5_000), event("now", 0, 0)));
    put(batch("b2", event("after", 0, 0)));
    assertThat(totals().delayed()).isEqualTo(1);
    assertThat(ids(lease(1))).containsExactly("now");
    clock.advance(Duration.ofMillis(4_999));
    assertThat(store.due(RULES)).isFalse();
    clock.advance(Duration.ofMillis(1));
    assertThat(store.due(RULES)).isTrue();
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 1));
    assertThat(ids(lease(10))).containsExactly("later", "after");
    assertThat(totals().delayed()).isZero();
  }

  @Test
  void afterARestartOnlyTheRemainingDelayApplies() {
    put(batch("b1", event("later", 0, 10_000)));
    clock.advance(Duration.ofSeconds(6));
    reopen();
    clock.advance(Duration.ofMillis(3_999));
    assertThat(expire()).isEmpty();
    clock.advance(Duration.ofMillis(1));
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 1));

    refuseFor(lease(1), Duration.ofSeconds(10));
    store.close();
    clock.advance(Duration.ofMinutes(1));
    store = open();
    assertThat(expire()).isEqualTo(Map.of(QUEUE, 1));
  }

  private void refuseFor(List<LeasedEvent> leased, Duration delay) {
    store.refuse(
        new RefuseOrder(QUEUE, receipts(leased), RefusalKind.RETURNED, delay, "later", LIMITS));
    store.commit();
  }

  @Test
  void aDeadLetterIsRequeuedOnceWithOtherDataAndAsAFreshEvent() {
    put(batch("b1", event("one", 3, 0)));
    for (int i = 0; i < LIMITS.maxAttempts(); i++) {
      refuse(lease(1), RefusalKind.FAILED, "bad number");
    }
    long seq = dead(1).get(0).seq();
    DeadRecord original = store.requeueChanged(QUEUE, seq, bytes("{\"n\":\"mended\"}"));
    store.commit();
    assertThat(original.event().text()).isEqualTo("{\"n\":\"one\"}");
    assertThat(original.reason()).isEqualTo("bad number");
    assertThatThrownBy(() -> store.requeueChanged(QUEUE, seq, bytes("1")))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNKNOWN_DEAD_LETTER));
    reopen();
    assertThat(totals().dead()).isZero();
    LeasedEvent again = lease(1).get(0);
    assertThat(again.event().id()).isEqualTo("one");
    assertThat(again.event().text()).isEqualTo("{\"n\":\"mended\"}");
    assertThat(again.event().priority()).isEqualTo(3);
    assertThat(again.attempt()).isEqualTo(1);
  }

  @Test
  void peekingShowsUnfinishedEventsWithoutLeasingThem() {
    put(batch("b1", event("ready", 0, 0), event("first", 3, 0), event("delayed", 0, 60_000)));
    put(batch("b2", event("leased", 9, 0)));
    lease(1);
    clock.advance(Duration.ofSeconds(10));

    assertThat(peeked(EventState.READY)).containsExactly("first", "ready");
    PeekedRecord delayed = store.peek(QUEUE, EventState.DELAYED, 10).get(0);
    assertThat(delayed.event().id()).isEqualTo("delayed");
    assertThat(delayed.heldMillis()).isEqualTo(50_000);
    PeekedRecord leased = store.peek(QUEUE, EventState.LEASED, 10).get(0);
    assertThat(leased.event().id()).isEqualTo("leased");
    assertThat(leased.heldMillis()).isEqualTo(20_000);
    assertThat(leased.deliveries()).isEqualTo(1);
    assertThat(peeked(EventState.READY)).hasSize(2);
    assertThat(store.peek("unknown", EventState.READY, 10)).isEmpty();
    assertThat(store.peek(QUEUE, EventState.READY, 1)).hasSize(1);
  }

  private List<String> peeked(EventState state) {
    return store.peek(QUEUE, state, 10).stream().map(peek -> peek.event().id()).toList();
  }

  @Test
  void deadLettersAreListedNewestFirstPageByPage() {
    kill("b1", 5, "broken");
    List<DeadRecord> first = dead(2);
    assertThat(first).extracting(dead -> dead.event().id()).containsExactly("b1-4", "b1-3");
    List<DeadRecord> second = store.dead(QUEUE, first.get(1).seq(), 10);
    assertThat(second)
        .extracting(dead -> dead.event().id())
        .containsExactly("b1-2", "b1-1", "b1-0");
  }

  @Test
  void requeuedDeadLettersStartWithoutFailuresAndAreOrderedByAge() {
    kill("b1", 2, "broken");
    put("b2", 1);
    SweepStep step = store.requeueDead(QUEUE, DeadChoice.ALL, SegmentSweep.ALL, Long.MAX_VALUE);
    store.commit();

    assertThat(step).isEqualTo(new SweepStep(2, Optional.empty()));
    assertThat(totals().dead()).isZero();
    assertThat(totals().waiting()).isEqualTo(3);
    reopen();
    // They had failed, so each is still delivered singly.
    List<LeasedEvent> run = lease(10);
    assertThat(ids(run)).containsExactly("b1-0");
    assertThat(run.get(0).attempt()).isEqualTo(1);
    acknowledge(run);
    acknowledge(lease(10));
    assertThat(ids(lease(10))).containsExactly("b2-0");
  }

  @Test
  void deadLettersCanBeSelectedByNumberIdReasonAndAge() {
    kill("b1", 2, "connection refused");
    clock.advance(Duration.ofMinutes(10));
    kill("b2", 2, "out of memory");
    long numbered = dead(10).get(3).seq();

    assertThat(dropped(new DeadChoice(Set.of(numbered), null, null, null))).isEqualTo(1);
    assertThat(dropped(new DeadChoice(Set.of(numbered), null, "out of", null))).isZero();
    assertThat(dropped(new DeadChoice(null, Set.of("b2-1", "none"), null, null))).isEqualTo(1);
    assertThat(dropped(new DeadChoice(null, null, "of memory", clock.now().minusSeconds(60))))
        .isZero();
    assertThat(dropped(new DeadChoice(null, null, null, clock.now().minusSeconds(60))))
        .isEqualTo(1);
    assertThat(dropped(new DeadChoice(null, null, "of memory", null))).isEqualTo(1);
    assertThat(totals().dead()).isZero();
    assertThat(totals().bytes()).isZero();
    assertThat(totals().dropped()).isEqualTo(4);
  }

  private int dropped(DeadChoice choice) {
    SweepStep step = store.dropDead(QUEUE, choice, SegmentSweep.ALL, Long.MAX_VALUE);
    store.commit();
    assertThat(step.rest()).isEmpty();
    return step.events();
  }

  @Test
  void manyDeadLettersAreProcessedInSteps() {
    die(5_000);
    List<Integer> steps = new ArrayList<>();
    Optional<SegmentSweep> rest = Optional.of(SegmentSweep.ALL);
    while (rest.isPresent()) {
      SweepStep step = store.requeueDead(QUEUE, DeadChoice.ALL, rest.get(), Long.MAX_VALUE);
      store.commit();
      steps.add(step.events());
      rest = step.rest();
    }
    assertThat(steps).hasSizeGreaterThan(1).allMatch(events -> events < 5_000);
    assertThat(steps.stream().mapToInt(Integer::intValue).sum()).isEqualTo(5_000);
    assertThat(totals().waiting()).isEqualTo(5_000);
  }

  @Test
  void aLimitedSelectionTakesTheOldestDeadLetters() {
    kill("b1", 3, "broken");
    store.dropDead(QUEUE, DeadChoice.ALL, SegmentSweep.ALL, 2);
    store.commit();
    assertThat(dead(10)).extracting(dead -> dead.event().id()).containsExactly("b1-2");
  }

  @Test
  void aPurgeDeletesUnleasedEventsAndNoneThatArriveMeanwhile() {
    put(batch("b1", event("leased", 9, 0), event("ready", 0, 0), event("delayed", 0, 60_000)));
    List<LeasedEvent> leased = lease(1);

    assertThat(purged(EventState.READY)).isEqualTo(1);
    assertThat(purged(EventState.DELAYED)).isEqualTo(1);
    assertThatThrownBy(() -> store.purge(QUEUE, EventState.LEASED, SegmentSweep.ALL))
        .isInstanceOf(IllegalArgumentException.class);
    clock.advance(Duration.ofSeconds(60));
    assertThat(totals().unfinished()).isEqualTo(1);
    assertThat(totals().dropped()).isEqualTo(2);
    reopen();
    assertThat(acknowledge(leased).done()).isEqualTo(1);
    assertThat(totals().bytes()).isZero();
  }

  @Test
  void aPurgeInStepsDeletesOnlyEventsPresentAtItsStart() {
    put(new PutOrder(QUEUE, "b1", events("b1", 8_000), 10_000));
    SweepStep first = store.purge(QUEUE, EventState.READY, SegmentSweep.ALL);
    store.commit();
    put(new PutOrder(QUEUE, "b2", events("b2", 3), 10_000));
    int purged = first.events();
    Optional<SegmentSweep> rest = first.rest();
    while (rest.isPresent()) {
      SweepStep step = store.purge(QUEUE, EventState.READY, rest.get());
      store.commit();
      purged += step.events();
      rest = step.rest();
    }
    assertThat(first.events()).isLessThan(8_000);
    assertThat(purged).isEqualTo(8_000);
    assertThat(ids(lease(10))).containsExactly("b2-0", "b2-1", "b2-2");
  }

  private int purged(EventState state) {
    SweepStep step = store.purge(QUEUE, state, SegmentSweep.ALL);
    store.commit();
    return step.events();
  }

  @Test
  void anEventOlderThanTheRetentionBecomesADeadLetterWithThatReason() {
    put("b1", 2);
    clock.advance(Duration.ofMinutes(30));
    put("b2", 1);
    lease(1);
    clock.advance(Duration.ofMinutes(30).minusMillis(1));
    assertThat(store.due(RULES)).isTrue();
    expire(SegmentStoreContract::anHourAndADay);
    assertThat(totals().dead()).isZero();

    clock.advance(Duration.ofSeconds(2));
    expire(SegmentStoreContract::anHourAndADay);
    // The leased event was returned meanwhile, so its waiting time has restarted.
    DeadRecord dead = dead(10).get(0);
    assertThat(dead.event().id()).isEqualTo("b1-1");
    assertThat(dead.reason()).isEqualTo("older than the queue's retention of 1h");
    assertThat(totals().dead()).isEqualTo(1);
    assertThat(ids(lease(10))).containsExactly("b1-0", "b2-0");
  }

  @Test
  void aRequeuedEventIsNotImmediatelyTooOld() {
    put("b1", 1);
    clock.advance(Duration.ofHours(1));
    expire(SegmentStoreContract::anHourAndADay);
    store.requeueDead(QUEUE, DeadChoice.ALL, SegmentSweep.ALL, 1);
    store.commit();
    clock.advance(Duration.ofMinutes(59));
    expire(SegmentStoreContract::anHourAndADay);
    assertThat(totals().waiting()).isEqualTo(1);
    clock.advance(Duration.ofMinutes(2));
    expire(SegmentStoreContract::anHourAndADay);
    assertThat(totals().waiting()).isZero();
    assertThat(totals().dead()).isEqualTo(1);
  }

  @Test
  void deadLettersOlderThanTheirRetentionAreDropped() {
    kill("b1", 1, "broken");
    expire(SegmentStoreContract::anHourAndADay);
    clock.advance(Duration.ofHours(20));
    kill("b2", 1, "broken");
    clock.advance(Duration.ofHours(4));
    assertThat(store.due(SegmentStoreContract::anHourAndADay)).isTrue();
    expire(SegmentStoreContract::anHourAndADay);
    assertThat(dead(10)).extracting(dead -> dead.event().id()).containsExactly("b2-0");
    assertThat(totals().dropped()).isEqualTo(1);
    assertThat(store.due(SegmentStoreContract::anHourAndADay)).isFalse();
    clock.advance(Duration.ofHours(21));
    expire(SegmentStoreContract::anHourAndADay);
    assertThat(dead(10)).isEmpty();
  }

  @Test
  void aWallClockStepExpiresNothing() {
    kill("b1", 1, "broken");
    put("b2", 1);
    clock.stepWall(Duration.ofDays(2));
    expire(SegmentStoreContract::anHourAndADay);
    assertThat(totals().waiting()).isEqualTo(1);
    assertThat(totals().dead()).isEqualTo(1);
  }

  @Test
  void manyOldEventsExpireInStepsUntilNoneIsDue() {
    put(new PutOrder(QUEUE, "b", events("b", 5_000), 10_000));
    clock.advance(Duration.ofHours(1));
    expire(SegmentStoreContract::anHourAndADay);
    assertThat(totals().dead()).isBetween(1L, 4_999L);
    while (store.due(SegmentStoreContract::anHourAndADay)) {
      expire(SegmentStoreContract::anHourAndADay);
    }
    assertThat(totals().dead()).isEqualTo(5_000);
  }

  @Test
  void aSegmentEnforcesItsShareOfTheQueueLimitAndAcceptsEventsAgainImmediately() {
    PutLimits quarter = new PutLimits(40, 0, 0, 250);
    put(limited("b1", 10, quarter));
    refused(limited("b2", 1, quarter), ErrorCode.QUEUE_FULL, "10 of at most 10 unfinished");
    assertThat(put(limited("b1", 10, quarter)).repeated()).isTrue();
    acknowledge(lease(1));
    assertThat(put(limited("b3", 1, quarter)).accepted()).isEqualTo(1);
    acknowledge(lease(20));
    // More than its share but less than the queue's limit: it must be accepted by some segment.
    assertThat(put(limited("b4", 30, quarter)).accepted()).isEqualTo(30);
    refused(limited("b5", 41, quarter), ErrorCode.INVALID_REQUEST, "never fit");
  }

  @Test
  void aSegmentStoresNoMoreBytesThanItsShareIncludingDeadLetters() {
    int size = (int) new PutOrder(QUEUE, "b", events("b1", 1), 100).bytes();
    PutLimits limits = new PutLimits(1_000, 10L * size, 0, 500);
    put(limited("b1", 5, limits));
    refused(limited("b2", 1, limits), ErrorCode.QUEUE_FULL, "maxBytes");
    kill(lease(1), "broken");
    refused(limited("b2", 1, limits), ErrorCode.QUEUE_FULL, "dead letters");
    store.dropDead(QUEUE, DeadChoice.ALL, SegmentSweep.ALL, 1);
    store.commit();
    assertThat(put(limited("b2", 1, limits)).accepted()).isEqualTo(1);
    refused(limited("b3", 11, limits), ErrorCode.INVALID_REQUEST, "never fit");
  }

  @Test
  void aSegmentEnforcesItsShareOfTheQueueRateWithABurstOfOneSecond() {
    PutLimits limits = new PutLimits(1_000, 0, 20, 500);
    put(limited("b1", 10, limits));
    refused(limited("b2", 5, limits), ErrorCode.RATE_LIMITED, "0.5 s");
    assertThat(put(limited("b1", 10, limits)).repeated()).isTrue();
    clock.advance(Duration.ofMillis(500));
    put(limited("b2", 5, limits));
    refused(limited("b3", 30, limits), ErrorCode.RATE_LIMITED, "1.0 s");
    clock.advance(Duration.ofSeconds(1));
    // Larger than the events of one second: accepted after a pause, and charged to later requests.
    assertThat(put(limited("b3", 30, limits)).accepted()).isEqualTo(30);
    clock.advance(Duration.ofSeconds(2));
    refused(limited("b4", 1, limits), ErrorCode.RATE_LIMITED, "0.1 s");
    clock.advance(Duration.ofMillis(100));
    assertThat(put(limited("b4", 1, limits)).accepted()).isEqualTo(1);
  }

  @Test
  void aRolledBackPutIsNotChargedToTheRate() {
    PutLimits limits = new PutLimits(1_000, 0, 10, 1_000);
    store.put(limited("b1", 10, limits));
    store.rollback();
    assertThat(put(limited("b1", 10, limits)).accepted()).isEqualTo(10);
  }

  @Test
  void eventAndByteCountersAreConsistentAndSurviveARestart() {
    put("b1", 4);
    long size = totals().bytes();
    acknowledge(lease(2));
    kill(lease(1), "broken");
    dropped(DeadChoice.ALL);
    SegmentTotals before = totals();
    assertThat(before.insertedBytes()).isEqualTo(size);
    assertThat(before.deliveredBytes()).isGreaterThan(size / 2);
    assertThat(before.inserted())
        .isEqualTo(before.acknowledged() + before.dropped() + before.unfinished() + before.dead());
    reopen();
    assertThat(totals()).isEqualTo(before);
  }

  @Test
  void anEventNumberIsNeverReused() {
    kill("b1", 1, "broken");
    long number = dead(1).get(0).seq();
    dropped(DeadChoice.ALL);
    reopen();
    kill("b2", 1, "broken");
    assertThat(dead(1).get(0).seq()).isGreaterThan(number);
  }

  private static PutOrder batch(String name, NewEvent... events) {
    return new PutOrder(QUEUE, name, List.of(events), 100);
  }

  private static PutOrder limited(String name, int count, PutLimits limits) {
    return new PutOrder(QUEUE, name, events(name, count), limits);
  }

  private void refused(PutOrder order, ErrorCode code, String message) {
    assertThatThrownBy(() -> store.put(order))
        .isInstanceOfSatisfying(
            MillraceException.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  /** Puts events and makes them dead letters. */
  private void kill(String batch, int count, String reason) {
    put(batch, count);
    kill(lease(count), reason);
  }

  private void kill(List<LeasedEvent> leased, String reason) {
    long before = totals().dead();
    refuse(leased, RefusalKind.FAILED, reason);
    while (totals().dead() < before + leased.size()) {
      refuse(lease(1), RefusalKind.FAILED, reason);
    }
  }

  /** Makes many events expire. */
  private void die(int count) {
    put(new PutOrder(QUEUE, "many", events("many", count), 10_000));
    clock.advance(Duration.ofHours(1));
    while (store.due(SegmentStoreContract::anHourAndADay)) {
      expire(SegmentStoreContract::anHourAndADay);
    }
    assertThat(totals().dead()).isEqualTo(count);
  }

  private static QueueRules anHourAndADay(String queue) {
    return new QueueRules(LIMITS, Duration.ofHours(1), Duration.ofDays(1));
  }
}

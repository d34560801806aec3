package io.millrace.tests.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.StoredEvent;
import io.millrace.api.event.StoredEvent.StoredEvents;
import io.millrace.queuenode.store.EventState;
import io.millrace.queuenode.store.NewEvent;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.SegmentStore.DeadChoice;
import io.millrace.queuenode.store.SegmentStore.DeadRecord;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.PeekedRecord;
import io.millrace.queuenode.store.SegmentStore.SegmentSweep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Copies of a store for backups, and events of a backup. */
abstract class CopyContract extends OpenedStore {
  private static final int VERSION = 3;

  @Test
  void aCopyHasTheEventsOfEveryStateInTheOrderOfTheirNumbers() {
    makeEveryState();

    List<StoredEvent> copied = copy();

    assertThat(copied)
        .extracting(StoredEvent::id)
        .containsExactly("dead", "leased", "returned", "high", "delayed", "plain");
    assertThat(copied)
        .extracting(StoredEvent::state)
        .containsExactly("DEAD", "LEASED", "READY", "READY", "DELAYED", "READY");
    assertThat(copied).extracting(StoredEvent::seq).isSorted();
    assertThat(copied.get(0).reason()).isEqualTo("exit status 1");
    assertThat(copied.get(0).diedAt()).isEqualTo(clock.now().toEpochMilli());
    assertThat(copied.get(2).failures()).isEqualTo(1);
    assertThat(copied.get(3).priority()).isEqualTo(9);
    assertThat(copied.get(4).holdMillis()).isEqualTo(60_000);
  }

  /** dead, leased, returned (failed once), high (priority 9), delayed, plain. */
  private void makeEveryState() {
    for (String id : List.of("dead", "leased", "returned")) {
      put(new PutOrder(QUEUE, id, List.of(event(id, 0, 0)), 100));
      List<LeasedEvent> leased = lease(1);
      for (int failure = 1; failure < (id.equals("dead") ? LIMITS.maxAttempts() : 1); failure++) {
        refuse(leased, RefusalKind.FAILED);
        leased = lease(1);
      }
      if (!id.equals("leased")) {
        refuse(leased, RefusalKind.FAILED);
      }
    }
    put(
        new PutOrder(
            QUEUE,
            "rest",
            List.of(event("high", 9, 0), event("delayed", 0, 60_000), event("plain", 0, 0)),
            100));
  }

  private List<StoredEvent> copy() {
    List<StoredEvent> copied = new ArrayList<>();
    Long next = 0L;
    while (next != null) {
      StoredEvents page = store.copy(QUEUE, next, store.lastSeq());
      copied.addAll(page.events());
      next = page.next();
    }
    return copied;
  }

  @Test
  void whatChangesBetweenTwoPagesIsNeitherMissingNorTwiceInTheCopy() {
    put(new PutOrder(QUEUE, "b", events("b", 1_200), 10_000));
    long last = store.lastSeq();
    StoredEvents first = store.copy(QUEUE, 0, last);
    assertThat(first.next()).as("more than a page").isNotNull();

    // Meanwhile events that are copied already end, others are leased, and new ones arrive.
    acknowledge(lease(10));
    List<LeasedEvent> held = lease(700);
    put(new PutOrder(QUEUE, "later", events("later", 3), 10_000));
    List<StoredEvent> copied = new ArrayList<>(first.events());
    Long next = first.next();
    while (next != null) {
      StoredEvents page = store.copy(QUEUE, next, last);
      copied.addAll(page.events());
      next = page.next();
    }

    assertThat(copied)
        .extracting(StoredEvent::id)
        .containsExactlyElementsOf(IntStream.range(0, 1_200).mapToObj(i -> "b-" + i).toList());
    assertThat(held).hasSize(700);
    assertThat(store.copy(QUEUE, last, store.lastSeq()).events())
        .extracting(StoredEvent::id)
        .containsExactly("later-0", "later-1", "later-2");
  }

  @Test
  void largeEventsMakeSmallPages() {
    byte[] large = bytes("\"" + "x".repeat(400_000) + "\"");
    List<NewEvent> events =
        IntStream.range(0, 5).mapToObj(i -> new NewEvent("l" + i, large, null)).toList();
    put(new PutOrder(QUEUE, "b", events, 100));

    StoredEvents page = store.copy(QUEUE, 0, store.lastSeq());

    assertThat(page.events()).hasSizeBetween(1, 3);
    assertThat(copy()).extracting(StoredEvent::id).containsExactly("l0", "l1", "l2", "l3", "l4");
  }

  @Test
  void restoredEventsAreAsTheyWereAndHeldByNobody() {
    makeEveryState();
    List<StoredEvent> copied = copy();
    acknowledgeEverything();

    store.restore(QUEUE, VERSION, copied);
    store.commit();
    reopen();

    assertThat(totals().waiting()).isEqualTo(4);
    assertThat(totals().delayed()).isEqualTo(1);
    assertThat(totals().dead()).isEqualTo(1);
    assertThat(totals().leased()).isZero();
    DeadRecord dead = dead(1).get(0);
    assertThat(dead.event().id()).isEqualTo("dead");
    assertThat(dead.reason()).isEqualTo("exit status 1");
    assertThat(dead.failures()).isEqualTo(LIMITS.maxAttempts());
    assertThat(ids(lease(10))).containsExactly("high", "leased", "plain");
    List<LeasedEvent> alone = lease(10);
    assertThat(ids(alone)).as("delivered alone since it failed").containsExactly("returned");
    assertThat(alone.get(0).attempt()).as("one failure is remembered").isEqualTo(2);
    PeekedRecord delayed = store.peek(QUEUE, EventState.DELAYED, 1).get(0);
    assertThat(delayed.heldMillis()).isBetween(1L, 60_000L);
    clock.advance(Duration.ofMinutes(2));
    expire();
    assertThat(ids(lease(10))).contains("delayed");
  }

  @Test
  void aRestoredSegmentBeganUnderTheVersionThatItHad() {
    put("b1", 1);
    store.restore("other", VERSION, copy());
    store.commit();
    reopen();
    assertThat(store.copy("other", 0, store.lastSeq()).version()).isEqualTo(VERSION);
    assertThat(store.copy("other", 0, store.lastSeq()).events()).hasSize(1);
  }

  private void acknowledgeEverything() {
    clock.advance(LEASE);
    expire();
    for (int batch = 0; batch < 4; batch++) {
      // One that is delivered alone is a batch of its own.
      acknowledge(lease(100));
    }
    store.dropDead(QUEUE, DeadChoice.ALL, SegmentSweep.ALL, 100);
    store.purge(QUEUE, EventState.DELAYED, SegmentSweep.ALL);
    store.commit();
    assertThat(totals().unfinished() + totals().dead()).isZero();
  }

  @Test
  void receiptsOfTheTimeBeforeARestorationAreStale() {
    put("b1", 1);
    List<LeasedEvent> old = lease(1);
    List<StoredEvent> copied = copy();
    acknowledge(old);

    store.raiseTermTo(store.term() + 1_000);
    reopen();
    store.restore(QUEUE, VERSION, copied);
    store.commit();
    assertThat(store.term()).isGreaterThan(1_000);
    List<LeasedEvent> again = lease(1);

    assertThat(acknowledge(old).stale()).hasSize(1);
    assertThat(acknowledge(again).done()).isEqualTo(1);
  }
}

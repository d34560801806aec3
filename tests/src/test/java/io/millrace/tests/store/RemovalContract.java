package io.millrace.tests.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.queuenode.store.PutOrder;
import io.millrace.queuenode.store.PutOrder.PutLimits;
import io.millrace.queuenode.store.PutOrder.QueueVersions;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.SegmentStore.SegmentRemoval;
import io.millrace.queuenode.store.SegmentStore.SegmentRemoval.RemovalStep;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How the segments of deleted queues are removed from every store. */
abstract class RemovalContract extends CopyContract {

  @Test
  void aDrainedSegmentIsRemovedOnceItIsEmptyAndStaysAwayAfterARestart() {
    put("b1", 2, 3, 0);
    put(new PutOrder("other", "b1", events("o", 1), 100));
    assertThat(remove(3, false)).isEqualTo(new RemovalStep(0, false, false));
    List<LeasedEvent> leased = lease(2);
    assertThat(remove(3, false).gone()).isFalse();
    acknowledge(leased);

    assertThat(remove(3, false)).isEqualTo(new RemovalStep(0, false, true));
    assertThat(store.totals().keySet()).isEqualTo(Set.of("other"));
    reopen();
    assertThat(store.totals().keySet()).isEqualTo(Set.of("other"));
    assertThat(store.totals().get("other").waiting()).isEqualTo(1);
  }

  @Test
  void deadLettersKeepASegmentFromBeingDrained() {
    put("b1", 1, 1, 0);
    for (int i = 0; i < LIMITS.maxAttempts(); i++) {
      refuse(lease(1), RefusalKind.FAILED);
    }
    assertThat(totals().dead()).isEqualTo(1);
    assertThat(remove(1, false).gone()).isFalse();
    assertThat(totals().dead()).isEqualTo(1);
  }

  @Test
  void aDiscardedSegmentLosesEventsInEveryState() {
    put("dead", 1, 1, 0);
    for (int i = 0; i < LIMITS.maxAttempts(); i++) {
      refuse(lease(1), RefusalKind.FAILED);
    }
    put("leased", 2, 1, 0);
    List<LeasedEvent> leased = lease(2);
    put("ready", 3, 1, 0);
    put(new PutOrder(QUEUE, "delayed", List.of(event("delayed", 0, 60_000)), 100));

    assertThat(removeAll(1)).isEqualTo(7);
    assertThat(store.totals()).isEmpty();
    assertThat(acknowledge(leased).stale()).hasSize(2);
    reopen();
    assertThat(store.totals()).isEmpty();
    assertThat(expire()).isEmpty();
  }

  @Test
  void noEventIsPutUnderADeletedVersionEvenByAnOldTopology() {
    put("b1", 1, 3, 0);
    removeAll(3);
    assertThatThrownBy(() -> put("b2", 1, 3, 0))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.QUEUE_DELETING));
    assertThat(store.totals()).isEmpty();
  }

  @Test
  void theSegmentOfAQueueCreatedAgainIsNotRemovedByAnOldDeletion() {
    put("b1", 1, 3, 0);
    removeAll(3);
    put("b1", 2, 4, 3);
    assertThat(removeAll(3)).isZero();
    reopen();
    assertThat(removeAll(3)).isZero();
    assertThat(ids(lease(10))).containsExactly("b1-0", "b1-1");

    put("b2", 1, 5, 3);
    assertThat(removeAll(5)).isEqualTo(3);
    assertThat(store.totals()).isEmpty();
  }

  @Test
  void aQueueCreatedAgainAcceptsNoEventsInItsEarlierSegment() {
    put("old", 1, 3, 0);
    reopen();
    assertThatThrownBy(() -> put("new", 1, 4, 3))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    removeAll(3);
    put("new", 1, 4, 3);
    assertThat(ids(lease(10))).containsExactly("new-0");
  }

  /** The central database was restored from before the deletion, which nobody carries out. */
  @Test
  void aClosedQueueGoesOnUnderALaterVersionWhenNobodyKnowsOfItsDeletion() {
    put("old", 1, 3, 0);
    assertThat(remove(3, false).gone()).isFalse();
    assertThatThrownBy(() -> put("same", 1, 3, 0)).isInstanceOf(MillraceException.class);

    put("new", 1, 4, 0);
    assertThat(ids(lease(10))).containsExactly("old-0", "new-0");
  }

  /** A node may go on with a deletion that it followed before it was frozen. */
  @Test
  void whatWasAcceptedUnderALaterVersionIsNotDroppedByADiscardThatHadBegun() {
    put("old", 2, 3, 0);
    lease(1);
    assertThat(remove(3, true)).isEqualTo(new RemovalStep(1, true, false));

    put("new", 1, 4, 0);
    assertThat(removeAll(3)).isZero();
    assertThat(ids(lease(10))).containsExactly("old-1", "new-0");
  }

  @Test
  void aBatchNameOfADeletedQueueIsNotKnownToTheOneCreatedAgain() {
    put("b1", 1, 1, 0);
    removeAll(1);
    put(new PutOrder("other", "b1", events("o", 1), 100));
    put("b1", 3, 2, 1);
    reopen();
    assertThat(totals().waiting()).isEqualTo(3);
    assertThat(store.totals().get("other").waiting()).isEqualTo(1);
  }

  @Test
  void aRemovalThatIsRolledBackHasNotHappened() {
    put("b1", 2, 1, 0);
    store.remove(new SegmentRemoval(QUEUE, 1, true));
    store.remove(new SegmentRemoval(QUEUE, 1, true));
    store.rollback();
    assertThat(totals().waiting()).isEqualTo(2);
    assertThat(ids(lease(10))).containsExactly("b1-0", "b1-1");
    reopen();
    assertThat(totals().leased()).isEqualTo(2);
  }

  private void put(String batch, int count, int inForce, int deleted) {
    put(
        new PutOrder(
            QUEUE,
            batch,
            events(batch, count),
            PutLimits.ofEvents(100),
            new QueueVersions(inForce, deleted)));
  }

  private RemovalStep remove(int version, boolean discard) {
    RemovalStep step = store.remove(new SegmentRemoval(QUEUE, version, discard));
    store.commit();
    return step;
  }

  private int removeAll(int version) {
    int events = 0;
    RemovalStep step;
    do {
      step = remove(version, true);
      events += step.events();
    } while (step.more());
    assertThat(step.gone()).isTrue();
    return events;
  }
}

package io.millrace.queuenode.store;

import io.millrace.api.ErrorCode;
import io.millrace.api.MillraceException;
import io.millrace.queuenode.store.SegmentStore.SegmentRemoval;
import io.millrace.queuenode.store.SegmentStore.SegmentRemoval.RemovalStep;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Removes the segments of deleted queues. A segment remembers the version of the definition under
 * which it began, and is removed only for a deletion of that version or a later one: a node that
 * follows an old topology neither removes the segment of a queue that was created again nor adds
 * events to the one that is being removed. Used by the writer's thread.
 */
final class SegmentRemovals {
  private static final int STEP = 5_000;

  /** Leased events first, so that none becomes ready again meanwhile. */
  private static final List<EventState> ORDER =
      List.of(EventState.LEASED, EventState.DELAYED, EventState.READY, EventState.DEAD);

  private final Ledger ledger;
  // The deleted version by queue, until a later version is in force of which no deletion is known.
  private final Map<String, Integer> closed = new HashMap<>();
  // The highest version in force of a put by queue: the segment holds events of that version, too,
  // which a node that has begun to remove it under an earlier topology must not drop.
  private final Map<String, Integer> accepted = new HashMap<>();

  SegmentRemovals(Ledger ledger) {
    this.ledger = ledger;
  }

  /**
   * Refuses events of a deleted queue, and those of one that was created again while its earlier
   * segment is still here.
   *
   * @throws MillraceException QUEUE_DELETING or UNAVAILABLE
   */
  void requireOpen(PutOrder order) {
    requireNotDeleted(order);
    accepted.merge(order.queue(), order.versions().inForce(), Math::max);
  }

  private void requireNotDeleted(PutOrder order) {
    String queue = order.queue();
    int deleted = Math.max(order.versions().deleted(), closed.getOrDefault(queue, 0));
    if (deleted == 0) {
      return;
    }
    if (order.versions().inForce() <= deleted) {
      throw new MillraceException(
          ErrorCode.QUEUE_DELETING,
          "queue " + queue + " is being deleted and accepts no more events");
    }
    if (order.versions().deleted() == 0) {
      // Nobody knows of the deletion any more, because the central database was restored from
      // before it: nobody removes the segment, so it goes on under the version in force.
      closed.remove(queue);
      return;
    }
    if (ledger.tallies().number(queue) != null && ledger.tallies().version(queue) <= deleted) {
      throw new MillraceException(
          ErrorCode.UNAVAILABLE,
          "queue "
              + queue
              + " was deleted and created again, and its earlier segment is not removed from this"
              + " node yet; send again in a moment");
    }
  }

  /** One step, after which no put under the deleted version can come. */
  RemovalStep remove(SegmentRemoval removal) {
    String queue = removal.queue();
    closed.merge(queue, removal.version(), Math::max);
    if (ledger.tallies().number(queue) == null
        || ledger.tallies().version(queue) > removal.version()
        || accepted.getOrDefault(queue, 0) > removal.version()) {
      return new RemovalStep(0, false, true);
    }
    OptionalInt number = ledger.number(queue);
    for (EventState state : ORDER) {
      int limit = ledger.page(number.getAsInt(), STEP);
      List<DeliveryState> page =
          ledger.rows().in(number.getAsInt(), state, 0, limit).stream()
              .map(Rows.Row::delivery)
              .toList();
      if (!page.isEmpty() && !removal.discard()) {
        return new RemovalStep(0, false, false);
      }
      if (!page.isEmpty()) {
        delete(state, page);
        return new RemovalStep(page.size(), true, false);
      }
    }
    ledger.tallies().remove(queue);
    accepted.remove(queue);
    return new RemovalStep(0, false, true);
  }

  private void delete(EventState state, List<DeliveryState> events) {
    for (DeliveryState event : events) {
      ledger.tally(event.queue()).dropped(event);
      ledger.held().remove(event.seq());
    }
    ledger.rows().delete(state, events);
  }
}

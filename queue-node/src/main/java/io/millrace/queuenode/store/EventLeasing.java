package io.millrace.queuenode.store;

import io.millrace.queuenode.store.SegmentStore.LeaseOrder;
import io.millrace.queuenode.store.SegmentStore.LeaseOrder.LeasedEvent;
import io.millrace.queuenode.store.Tallies.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Selects and leases events. Used by the writer's thread. */
final class EventLeasing {
  private static final int PAGE = 1_000;

  /** The most events to be delivered alone that one lease skips. */
  private static final int PASSED_OVER = 2_000;

  private final Ledger ledger;

  EventLeasing(Ledger ledger) {
    this.ledger = ledger;
  }

  List<LeasedEvent> lease(LeaseOrder order) {
    OptionalInt known = ledger.number(order.queue());
    if (known.isEmpty() || ledger.tallies().waiting(known.getAsInt()) == 0) {
      return List.of();
    }
    int queue = known.getAsInt();
    List<Rows.Row> chosen = choose(queue, order);
    boolean shared = chosen.size() > 1;
    long now = ledger.now();
    long lease = order.lease().toMillis();
    Tally tally = ledger.tally(queue);
    List<DeliveryState> leased = new ArrayList<>(chosen.size());
    List<LeasedEvent> answer = new ArrayList<>(chosen.size());
    for (Rows.Row row : chosen) {
      DeliveryState next = row.delivery().leased(ledger.term(), now, lease, shared);
      leased.add(next);
      answer.add(new LeasedEvent(next.receipt(), next.failures() + 1, row.event()));
      tally.moved(row.delivery(), next);
      ledger.hold(next);
    }
    ledger.rows().update(EventState.READY, leased);
    return answer;
  }

  private List<Rows.Row> choose(int queue, LeaseOrder order) {
    List<Rows.Row> chosen = new ArrayList<>();
    long bytes = 0;
    int passed = 0;
    DeliveryState after = null;
    while (true) {
      int limit = ledger.page(queue, Math.min(PAGE, order.max() - chosen.size()));
      List<Rows.Row> page = ledger.rows().ready(queue, after, limit);
      for (Rows.Row row : page) {
        after = row.delivery();
        if (after.alone()) {
          if (chosen.isEmpty()) {
            return List.of(row);
          }
          // It is delivered later, in its own batch.
          passed++;
          continue;
        }
        bytes += after.bytes();
        if (!chosen.isEmpty() && bytes > order.maxBytes()) {
          return chosen;
        }
        chosen.add(row);
      }
      if (page.size() < limit || chosen.size() == order.max() || passed >= PASSED_OVER) {
        return chosen;
      }
    }
  }
}

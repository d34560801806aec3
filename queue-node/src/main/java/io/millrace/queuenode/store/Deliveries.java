package io.millrace.queuenode.store;

import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.queuenode.store.SegmentStore.QueueRules;
import io.millrace.queuenode.store.SegmentStore.QueueRules.DeliveryLimits;
import io.millrace.queuenode.store.SegmentStore.ReceiptOutcome;
import io.millrace.queuenode.store.SegmentStore.RefuseOrder;
import io.millrace.queuenode.store.Tallies.Tally;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Matches receipts and ends deliveries, at a worker's request or by time. What is leased or delayed
 * is held in memory, so no receipt costs a read; the rows repeat the expected state in their
 * writes, so that memory and table can't drift apart unnoticed. Used by the writer's thread.
 */
final class Deliveries {
  private static final int EXPIRED_AT_ONCE = 5_000;
  private static final String EXPIRED = "the lease expired before the worker answered";

  private final Ledger ledger;

  Deliveries(Ledger ledger) {
    this.ledger = ledger;
  }

  ReceiptOutcome acknowledge(String queue, List<Receipt> receipts) {
    MatchedReceipts matched = match(queue, receipts);
    long now = ledger.now();
    for (DeliveryState done : matched.current()) {
      ledger.tally(done.queue()).acknowledged(done, now);
      ledger.held().remove(done.seq());
    }
    ledger.rows().delete(EventState.LEASED, matched.current());
    return new ReceiptOutcome(matched.current().size(), matched.stale(), 0, 0);
  }

  ReceiptOutcome refuse(RefuseOrder order) {
    MatchedReceipts matched = match(order.queue(), order.receipts());
    RefusalCounts counts = endDeliveries(matched.current(), order);
    return new ReceiptOutcome(
        matched.current().size(), matched.stale(), counts.dead(), counts.ready());
  }

  ReceiptOutcome extend(String queue, List<Receipt> receipts, Duration lease) {
    MatchedReceipts matched = match(queue, receipts);
    List<DeliveryState> changed = new ArrayList<>();
    long now = ledger.now();
    for (DeliveryState delivery : matched.current()) {
      DeliveryState next = delivery.in(EventState.LEASED, now, lease.toMillis());
      ledger.hold(next);
      // The deadline is only in memory; after a restart the full lease starts again, so only the
      // length is stored.
      if (next.holdMillis() != delivery.holdMillis()) {
        changed.add(next);
      }
    }
    ledger.rows().update(EventState.LEASED, changed);
    return new ReceiptOutcome(matched.current().size(), matched.stale(), 0, 0);
  }

  /** Ends leases and delays that are due; adds the numbers of events that became ready. */
  void expire(Function<String, QueueRules> rules, Map<String, Integer> ready) {
    Map<Integer, List<DeliveryState>> expired = new HashMap<>();
    List<DeliveryState> awaited = new ArrayList<>();
    for (DeliveryState delivery : ledger.held().due(ledger.nanos(), EXPIRED_AT_ONCE)) {
      if (!ledger.readable(delivery.queue())) {
        // It stays leased until the next opening, when the queue may be readable again.
        continue;
      }
      if (delivery.state() == EventState.LEASED) {
        expired.computeIfAbsent(delivery.queue(), queue -> new ArrayList<>()).add(delivery);
      } else {
        awaited.add(delivery);
      }
    }
    expired.forEach((queue, events) -> end(queue, events, rules, ready));
    endDelays(awaited, ready);
  }

  private void end(
      int queue,
      List<DeliveryState> events,
      Function<String, QueueRules> rules,
      Map<String, Integer> ready) {
    String name = ledger.tallies().name(queue);
    RefuseOrder order =
        new RefuseOrder(
            name,
            List.of(),
            RefusalKind.RETURNED,
            Duration.ZERO,
            EXPIRED,
            rules.apply(name).limits());
    ready.merge(name, endDeliveries(events, order).ready(), Integer::sum);
  }

  private void endDelays(List<DeliveryState> awaited, Map<String, Integer> ready) {
    List<DeliveryState> ended = new ArrayList<>(awaited.size());
    long now = ledger.now();
    for (DeliveryState delivery : awaited) {
      DeliveryState next = delivery.in(EventState.READY, now, 0);
      ended.add(next);
      ledger.tally(delivery.queue()).moved(delivery, next);
      ledger.held().remove(delivery.seq());
      ready.merge(ledger.tallies().name(delivery.queue()), 1, Integer::sum);
    }
    ledger.rows().update(EventState.DELAYED, ended);
  }

  private record RefusalCounts(int dead, int ready) {}

  private RefusalCounts endDeliveries(List<DeliveryState> leased, RefuseOrder order) {
    List<DeliveryState> remaining = new ArrayList<>();
    List<DeliveryState> dead = new ArrayList<>();
    int ready = 0;
    long now = ledger.now();
    for (DeliveryState delivery : leased) {
      Tally tally = ledger.tally(delivery.queue());
      DeliveryState next =
          Redelivery.after(delivery, order.kind(), now, order.delay().toMillis(), order.limits());
      tally.moved(delivery, next);
      if (order.kind() != RefusalKind.RETURNED) {
        tally.failed();
      } else {
        tally.returned();
      }
      ledger.held().remove(delivery.seq());
      if (next.state() == EventState.DEAD) {
        dead.add(next);
        continue;
      }
      remaining.add(next);
      if (next.state() == EventState.DELAYED) {
        ledger.hold(next);
      } else {
        ready++;
      }
    }
    ledger.rows().update(EventState.LEASED, remaining);
    ledger.rows().markDead(EventState.LEASED, dead, order.reason(), now);
    return new RefusalCounts(dead.size(), ready);
  }

  private record MatchedReceipts(List<DeliveryState> current, List<Receipt> stale) {}

  private MatchedReceipts match(String queue, List<Receipt> receipts) {
    OptionalInt number = ledger.number(queue);
    // A map, because a receipt sent twice in one request counts once.
    Map<Long, DeliveryState> current = new LinkedHashMap<>();
    List<Receipt> stale = new ArrayList<>();
    for (Receipt receipt : receipts) {
      DeliveryState delivery = ledger.held().get(receipt.seq());
      if (number.isPresent() && delivery != null && delivery.matches(number.getAsInt(), receipt)) {
        current.put(delivery.seq(), delivery);
      } else {
        stale.add(receipt);
      }
    }
    return new MatchedReceipts(List.copyOf(current.values()), List.copyOf(stale));
  }

  /**
   * Decides the next state of an event whose delivery was not acknowledged. Pure.
   *
   * <p>A failure is charged to the event only if it was alone in its batch; otherwise it is
   * delivered alone from then on, so that the poison event of a batch is isolated. Lost deliveries
   * are counted separately, with their own limit.
   */
  private static final class Redelivery {
    private Redelivery() {}

    /** The event's state after the refusal: ready, delayed or dead from {@code now} on. */
    static DeliveryState after(
        DeliveryState leased, RefusalKind kind, long now, long delayMillis, DeliveryLimits limits) {
      DeliveryState charged = charge(leased, kind);
      if (charged.failures() >= limits.maxAttempts() || charged.returns() >= limits.maxReturns()) {
        return charged.in(EventState.DEAD, now, 0);
      }
      return delayMillis > 0
          ? charged.in(EventState.DELAYED, now, delayMillis)
          : charged.in(EventState.READY, now, 0);
    }

    private static DeliveryState charge(DeliveryState leased, RefusalKind kind) {
      if (kind == RefusalKind.EXCUSED) {
        return leased;
      }
      if (kind == RefusalKind.RETURNED) {
        return leased.charged(leased.alone(), leased.failures(), leased.returns() + 1);
      }
      return leased.shared()
          ? leased.charged(true, leased.failures(), leased.returns())
          : leased.charged(true, leased.failures() + 1, leased.returns());
    }
  }
}

package io.millrace.tests.drill;

import io.millrace.api.MillraceException;
import io.millrace.api.client.HttpTransport.NothingSentException;
import io.millrace.api.client.QueueClient;
import io.millrace.api.event.LeaseRequest.RefusalKind;
import io.millrace.api.event.ReceiptAnswer;
import io.millrace.api.event.ReceiptAnswer.Acknowledgement;
import io.millrace.api.event.ReceiptAnswer.Extension;
import io.millrace.api.event.ReceiptAnswer.Refusal;
import io.millrace.tests.drill.ledger.Delivery;
import io.millrace.tests.drill.ledger.DeliveryEnd;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Leased events by their receipts, and their acknowledgement, return or extension. Not thread-safe.
 */
final class HeldBatch {
  private final QueueClient node;
  private final String queue;
  private final Map<String, Delivery> held;

  HeldBatch(QueueClient node, String queue, Map<String, Delivery> held) {
    this.node = node;
    this.queue = queue;
    this.held = new HashMap<>(held);
  }

  void acknowledge() {
    List<String> receipts = List.copyOf(held.keySet());
    end(
        receipts,
        DeliveryEnd.ACKNOWLEDGED,
        DeliveryEnd.ACKNOWLEDGED_PERHAPS,
        () -> node.acknowledge(queue, new Acknowledgement(receipts)));
  }

  /** Returns every second event. */
  void refuseHalf(RefusalKind kind) {
    List<String> receipts = held.keySet().stream().limit((held.size() + 1) / 2).toList();
    end(
        receipts,
        DeliveryEnd.GIVEN_BACK,
        DeliveryEnd.GIVEN_BACK,
        () -> node.refuse(queue, new Refusal(receipts, kind, null, "refused by the drill")));
  }

  /** Keeps the events whose leases the node extends. */
  void extend(Duration lease) {
    List<String> receipts = List.copyOf(held.keySet());
    long asked = System.nanoTime();
    try {
      ReceiptAnswer answer = node.extend(queue, new Extension(receipts, lease));
      held.forEach(
          (receipt, delivery) -> {
            if (!answer.stale().contains(receipt)) {
              delivery.extended(asked, lease.toNanos());
            }
          });
    } catch (MillraceException unknown) {
      // The extension may have taken effect: only the first lease is certain.
      return;
    }
  }

  private void end(
      List<String> receipts,
      DeliveryEnd done,
      DeliveryEnd perhaps,
      Supplier<ReceiptAnswer> request) {
    if (receipts.isEmpty()) {
      return;
    }
    List<Delivery> deliveries = receipts.stream().map(held::get).toList();
    deliveries.forEach(delivery -> delivery.ending(System.nanoTime()));
    try {
      ReceiptAnswer answer = request.get();
      receipts.forEach(
          receipt ->
              held.get(receipt)
                  .ended(answer.stale().contains(receipt) ? DeliveryEnd.TOO_LATE : done));
    } catch (MillraceException e) {
      DeliveryEnd ending =
          e.getCause() instanceof NothingSentException ? DeliveryEnd.NONE : perhaps;
      deliveries.forEach(delivery -> delivery.ended(ending));
    }
    held.keySet().removeAll(receipts);
  }
}
